package io.txwatch.compat;

import io.txwatch.compat.ApplicationRun.Installation;
import io.txwatch.servers.ServerKind;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.stream.Stream;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** The command {@code compat/run}. */
@Command(
    name = "compat/run",
    description = {
      "Runs small applications unwatched, with the agent and with the URL.",
      "",
      "Compares what they print: rows, keys, counts, errors, metadata, and what their libraries log."
          + " In both watched runs the lost update must be reported with the lines of the"
          + " application, and nothing else. Each run has a JVM and a database of its own.",
      "",
      "Exit code: 0 if nothing differs, 1 if anything does."
    },
    mixinStandardHelpOptions = true)
final class CompatibilityCommand implements Callable<Integer> {

  @Parameters(
      paramLabel = "APPLICATION",
      arity = "0..*",
      description = "the applications to run; default: all (--list)")
  private List<String> names = List.of();

  @Option(names = "--list", description = "list the applications")
  private boolean list;

  @Option(
      names = "--db",
      split = ",",
      description = "H2, POSTGRESQL, MARIADB; default: those that belong to each application")
  private Set<ServerKind> kinds = Set.of();

  @Option(
      names = "--java",
      description = "the java command that runs them; default: ${DEFAULT-VALUE}")
  private Path java = Path.of(System.getProperty("java.home"), "bin", "java");

  @Option(names = "--jar", required = true, description = "txwatch.jar", hidden = true)
  private Path jar = Path.of("");

  @Option(names = "--module", required = true, description = "this module", hidden = true)
  private Path module = Path.of("");

  @Option(names = "--out", description = "keep what each run wrote here")
  private Path out = Path.of("");

  @Override
  public Integer call() throws IOException {
    PrintStream print = new PrintStream(System.out, true, StandardCharsets.UTF_8);
    if (list) {
      Stream.of(Application.values()).map(Application::label).forEach(print::println);
      return 0;
    }
    Path folder =
        out.toString().isEmpty()
            ? Files.createTempDirectory("txwatch-compat")
            : out.toAbsolutePath();
    Installation installation = new Installation(module, java, jar);
    print.println("| application | DBMS | lines | anomalies (agent / URL) | differences |");
    print.println("|---|---|---:|---:|---:|");
    boolean differs = false;
    for (Application application : chosen()) {
      for (ServerKind kind : kinds.isEmpty() ? application.defaultKinds() : kinds) {
        Comparison comparison =
            Comparison.of(
                installation,
                application,
                kind,
                Files.createDirectories(folder.resolve(application.label() + "-" + kind)));
        print.println(comparison.row());
        comparison.faults().forEach(print::println);
        differs |= !comparison.faults().isEmpty();
      }
    }
    return differs ? 1 : 0;
  }

  private List<Application> chosen() {
    if (names.isEmpty()) {
      return List.of(Application.values());
    }
    return names.stream()
        .map(name -> Application.valueOf(name.toUpperCase(Locale.ROOT).replace('-', '_')))
        .toList();
  }

  /** Runs a command line and exits with its code: 1 if anything differs. */
  public static void main(String[] arguments) {
    System.exit(
        new CommandLine(new CompatibilityCommand())
            .setCaseInsensitiveEnumValuesAllowed(true)
            .execute(arguments));
  }
}
