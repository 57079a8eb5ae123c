package io.txwatch;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import javax.tools.Diagnostic;
import javax.tools.DiagnosticCollector;
import javax.tools.JavaCompiler;
import javax.tools.JavaFileObject;
import javax.tools.StandardJavaFileManager;
import javax.tools.ToolProvider;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * A source of row versions is one package, what it reads with, and one line of a list: without
 * them, the rest compiles.
 */
class RemovedModeTest {

  private static final Path ROOT = Path.of("..");

  private static final List<Path> SOURCES =
      List.of(
          ROOT.resolve("changes/src/main/java"),
          ROOT.resolve("proxy-driver/src/main/java"),
          ROOT.resolve("proxy-driver/target/generated-sources/delegates"));

  /** The packages of {@code txwatch.versions=log}. */
  private static final Set<String> REMOVED =
      Set.of("io/txwatch/jdbc/changes/log", "io/txwatch/changes/binlog");

  private static final String LIST = "ChangesModes.java";
  private static final String MODE = "BinaryLogMode";

  @Test
  void withoutTheLogTheDriverCompiles(@TempDir Path scratch) throws IOException {
    Path list = Files.createDirectories(scratch.resolve("sources")).resolve(LIST);
    List<Path> kept = new ArrayList<>();
    for (Path source : SOURCES) {
      for (Path file : javaFiles(source)) {
        if (file.endsWith(LIST)) {
          List<String> lines = Files.readAllLines(file);
          assertThat(lines).filteredOn(line -> line.contains(MODE)).hasSize(2); // and its import
          Files.write(list, lines.stream().filter(line -> !line.contains(MODE)).toList());
          kept.add(list);
        } else if (!REMOVED.contains(packageOf(source, file))) {
          kept.add(file);
        }
      }
    }
    assertThat(kept).contains(list);
    assertThat(errors(kept, Files.createDirectories(scratch.resolve("classes")))).isEmpty();
  }

  private static List<Path> javaFiles(Path source) throws IOException {
    try (Stream<Path> files = Files.walk(source)) {
      return files.filter(file -> file.toString().endsWith(".java")).toList();
    }
  }

  private static String packageOf(Path source, Path file) {
    return source.relativize(file.getParent()).toString().replace('\\', '/');
  }

  private static List<String> errors(List<Path> files, Path classes) throws IOException {
    JavaCompiler compiler = ToolProvider.getSystemJavaCompiler();
    DiagnosticCollector<JavaFileObject> found = new DiagnosticCollector<>();
    String others =
        Stream.of(System.getProperty("java.class.path").split(File.pathSeparator))
            .filter(entry -> !entry.contains("proxy-driver") && !entry.contains("changes"))
            .collect(Collectors.joining(File.pathSeparator));
    try (StandardJavaFileManager manager = compiler.getStandardFileManager(found, null, null)) {
      compiler
          .getTask(
              null,
              manager,
              found,
              List.of("-proc:none", "-nowarn", "-d", classes.toString(), "-classpath", others),
              null,
              manager.getJavaFileObjectsFromPaths(files))
          .call();
    }
    return found.getDiagnostics().stream()
        .filter(one -> one.getKind() == Diagnostic.Kind.ERROR)
        .map(one -> one.getSource() + ":" + one.getLineNumber() + " " + one.getMessage(null))
        .limit(10)
        .toList();
  }
}
