package io.txwatch.corpus.suite;

import io.txwatch.servers.ServerKind;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.stream.Stream;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code corpus/run sent-scripts}. */
@Command(
    name = "sent-scripts",
    description = "Compares what scripts send raw and watched by value.",
    mixinStandardHelpOptions = true)
final class SentScriptsCommand implements Callable<Integer> {

  @Parameters(
      paramLabel = "PATH",
      arity = "1..*",
      description = "scripts, or folders of them (*.test; with --format h2 *.sql)")
  private List<Path> paths = List.of();

  @Option(
      names = "--format",
      description = "${COMPLETION-CANDIDATES}; default: ${DEFAULT-VALUE}",
      defaultValue = "sqllogictest")
  private ScriptFile.Format format = ScriptFile.Format.SQLLOGICTEST;

  @Option(
      names = "--db",
      split = ",",
      required = true,
      description = "the DBMSs: ${COMPLETION-CANDIDATES}")
  private List<ServerKind> kinds = List.of();

  @Option(
      names = "--versions",
      split = ",",
      description = "values of txwatch.versions: log, triggers, statements; default: all that fit")
  private List<String> versions = List.of();

  @Option(
      names = "--mode",
      split = ",",
      description =
          "${COMPLETION-CANDIDATES}: one statement per transaction, or ten; default: both")
  private List<SqlLogicTestCommand.Mode> modes = List.of(SqlLogicTestCommand.Mode.values());

  @Option(
      names = "--per-file",
      description = "maximum statements of one script; default: ${DEFAULT-VALUE}")
  private int perFile = 2_000;

  @Option(names = "--every", description = "run each N-th script only; default: ${DEFAULT-VALUE}")
  private int every = 1;

  @Option(
      names = "--minutes",
      description = "begin no script after so many minutes; default: ${DEFAULT-VALUE}")
  private int minutes = 600;

  @Option(names = "--out", description = "append the report to this file, too")
  private Path out = Path.of("");

  private final List<String> differences = new ArrayList<>();
  private int severalConnections;
  private int skipped;

  @Override
  public Integer call() throws SQLException, IOException {
    StringBuilder text = new StringBuilder();
    text.append(
        "| DBMS | mode | versions | scripts | statements | fail raw | unstable | calls sent");
    text.append(" | received | sent differently | seen differently | anomalies | seconds |\n");
    text.append("|---|---|---|---:|---:|---:|---:|---:|---:|---:|---:|---:|---:|\n");
    long end = System.nanoTime() + minutes * 60_000_000_000L;
    boolean fails = false;
    for (ServerKind kind : kinds) {
      for (SqlLogicTestCommand.Mode mode : modes) {
        severalConnections = 0;
        skipped = 0;
        long began = System.nanoTime();
        try (SentScriptsRunner runner =
            new SentScriptsRunner(
                kind, mode == SqlLogicTestCommand.Mode.TRANSACTIONS, versions(kind))) {
          String stopped = run(runner, kind, end);
          runner.close(); // all is analyzed
          long seconds = (System.nanoTime() - began) / 1_000_000_000L;
          for (Map.Entry<String, SentScriptsRunner.Tally> entry : runner.tallies().entrySet()) {
            SentScriptsRunner.Tally tally = entry.getValue();
            fails |= !tally.anomalies.isEmpty();
            tally.anomalies.stream().limit(3).forEach(a -> differences.add("anomaly " + a));
            text.append(
                String.format(
                    Locale.ROOT,
                    "| %s | %s | %s | %d | %d | %d | %d | %d | %d | %d | %d | %d | %d |%n",
                    kind,
                    mode.name().toLowerCase(Locale.ROOT),
                    entry.getKey(),
                    runner.scripts(),
                    runner.statements(),
                    runner.failed(),
                    runner.unstable(),
                    tally.calls.commands(),
                    tally.received.commands(),
                    tally.calls.differences().size() + tally.received.differences().size(),
                    tally.outcomes,
                    tally.anomalies.size(),
                    seconds));
          }
          text.append(
              String.format(
                  Locale.ROOT,
                  "not run: %d scripts that open several connections, %d that ended the connection"
                      + " raw, %d statements of the others%n",
                  severalConnections,
                  runner.ended(),
                  skipped));
          text.append(stopped);
        }
      }
    }
    text.append('\n').append(differences.size()).append(" differences\n");
    differences.stream().limit(20).forEach(difference -> text.append(difference).append('\n'));
    new PrintStream(System.out, true, StandardCharsets.UTF_8).println(text);
    if (!out.toString().isEmpty()) {
      Files.writeString(out, text, StandardOpenOption.CREATE, StandardOpenOption.APPEND);
    }
    return differences.isEmpty() && !fails ? 0 : 1;
  }

  /**
   * Runs the scripts; gives why it did not go on after one of them, which has harmed the server.
   */
  private String run(SentScriptsRunner runner, ServerKind kind, long end) throws IOException {
    List<Path> files = files();
    for (int i = 0; i < files.size() && System.nanoTime() < end; i += every) {
      Path file = files.get(i);
      Optional<ScriptFile> script =
          ScriptFile.read(file, format, SqlLogicTestCommand.engine(kind), perFile);
      if (script.isEmpty()) {
        severalConnections++;
        continue;
      }
      System.err.println(kind + " " + runner.statements() + " " + file);
      skipped += script.get().skipped();
      try {
        runner.run(script.get(), file.getFileName().toString(), differences::add);
      } catch (SQLException e) {
        return "stopped at " + file + ": " + e.getMessage() + "\n";
      }
    }
    return "";
  }

  private List<String> versions(ServerKind kind) {
    if (!versions.isEmpty()) {
      return versions;
    }
    return switch (kind) {
      case MYSQL, MARIADB -> List.of("log", "statements");
      case H2 -> List.of("triggers", "statements");
      case POSTGRESQL, SQLITE -> List.of("statements");
    };
  }

  private List<Path> files() throws IOException {
    String ending = format == ScriptFile.Format.H2 ? ".sql" : ".test";
    List<Path> files = new ArrayList<>();
    for (Path path : paths) {
      try (Stream<Path> found = Files.walk(path)) {
        found
            .filter(Files::isRegularFile)
            .filter(file -> file.equals(path) || file.toString().endsWith(ending))
            .sorted()
            .forEach(files::add);
      }
    }
    return files;
  }
}
