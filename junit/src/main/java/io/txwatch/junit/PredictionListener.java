package io.txwatch.junit;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;
import org.junit.platform.launcher.TestExecutionListener;
import org.junit.platform.launcher.TestPlan;

/**
 * Writes, after the last test, which operations of the application may race, if tests are annotated
 * with {@link WatchTransactions#predict}. JUnit finds it as a service. It fails nothing.
 */
public final class PredictionListener implements TestExecutionListener {

  /** JUnit's own parameter, for its attachments and reports. */
  private static final String OUTPUT = "junit.platform.reporting.output.dir";

  private static final Map<Path, PredictionFile> FILES = new HashMap<>();

  /** Created by JUnit. */
  public PredictionListener() {}

  @Override
  public void testPlanExecutionFinished(TestPlan plan) {
    if (!SuiteOperations.INSTANCE.hasTests()) {
      return;
    }
    try {
      Path folder =
          output(plan.getConfigurationParameters().get(OUTPUT).orElse("")).resolve("txwatch");
      String line = report(SuiteOperations.INSTANCE.predict(), folder);
      if (!line.isEmpty()) {
        System.err.println("txwatch: " + line);
      }
    } catch (RuntimeException | LinkageError e) {
      System.err.println("txwatch: no races are predicted: " + e);
    }
  }

  /** Writes the file; returns what to print, if anything. */
  private static synchronized String report(PredictedPairs found, Path folder) {
    PredictionFile file = FILES.computeIfAbsent(folder, PredictionFile::new);
    int count = found.pairs().size();
    String summary =
        count == 1 ? "1 pair of operations may race" : count + " pairs of operations may race";
    try {
      if (count > 0) {
        return summary + ": see " + file.write(name -> InterleaveTestWriter.write(found, name));
      }
      file.clear();
    } catch (IOException e) {
      return count == 0 ? "" : summary + ", but no file can be written: " + e;
    }
    return found.operations() == 0 && found.rolledBack() > 0
        ? "no races are predicted: no operation of the application committed, and "
            + found.rolledBack()
            + " transactions were rolled back, as those of tests with @Transactional are"
        : "";
  }

  /** Where JUnit and build tools write, too. */
  private static Path output(String configured) {
    if (!configured.isEmpty() && configured.indexOf('{') < 0) {
      return Path.of(configured);
    }
    Optional<String> folder =
        Files.exists(Path.of("pom.xml"))
            ? Optional.of("target")
            : Stream.of("build.gradle", "build.gradle.kts").anyMatch(f -> Files.exists(Path.of(f)))
                ? Optional.of("build")
                : Stream.of("target", "build")
                    .filter(f -> Files.isDirectory(Path.of(f)))
                    .findFirst();
    return Path.of(folder.orElse(""));
  }
}
