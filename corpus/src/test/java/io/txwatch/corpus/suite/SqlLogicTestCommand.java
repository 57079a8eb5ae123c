package io.txwatch.corpus.suite;

import io.txwatch.rewrite.RewritePlanner.Level;
import io.txwatch.servers.ServerKind;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.sql.SQLException;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code corpus/run sqllogictest}. */
@Command(
    name = "sqllogictest",
    description = "Runs the statements of sqllogictest raw and watched and compares the outcomes.",
    mixinStandardHelpOptions = true)
final class SqlLogicTestCommand implements Callable<Integer> {

  /** Statements per transaction: one or ten. */
  enum Mode {
    AUTOCOMMIT,
    TRANSACTIONS
  }

  @Parameters(paramLabel = "CHECKOUT", description = "a checkout of sqllogictest")
  private Path checkout = Path.of("");

  @Option(
      names = "--db",
      split = ",",
      description = "the DBMSs: ${COMPLETION-CANDIDATES}; default: sqlite")
  private List<ServerKind> kinds = List.of(ServerKind.SQLITE);

  @Option(
      names = "--files",
      split = ",",
      description = "groups of files: ${COMPLETION-CANDIDATES}; default: all")
  private List<SqlLogicTestFiles.Group> groups = List.of(SqlLogicTestFiles.Group.values());

  @Option(
      names = "--statements",
      description = "statements for each DBMS and mode; default: ${DEFAULT-VALUE}")
  private int statements = 100_000;

  @Option(
      names = "--per-file",
      description = "maximum statements of one file; default: ${DEFAULT-VALUE}")
  private int perFile = 2_000;

  @Option(
      names = "--mode",
      split = ",",
      description =
          "${COMPLETION-CANDIDATES}: one statement per transaction, or ten; default: both")
  private List<Mode> modes = List.of(Mode.values());

  @Option(
      names = "--levels",
      split = ",",
      description = "levels of instrumentation: ${COMPLETION-CANDIDATES}; default: all")
  private List<Level> levels = List.of(Level.values());

  @Option(names = "--out", description = "append the report to this file, too")
  private Path out = Path.of("");

  @Override
  public Integer call() throws SQLException, IOException {
    SqlLogicTestFiles files = new SqlLogicTestFiles(checkout);
    StringBuilder table = new StringBuilder();
    table.append("| DBMS | mode | level | statements | failed raw | differences | observed |");
    table.append(" gaps by reason | seconds |\n|---|---|---|---:|---:|---:|---:|---|---:|\n");
    Causes causes = new Causes();
    for (ServerKind kind : kinds) {
      for (Mode mode : modes) {
        table.append(run(files, kind, mode, causes));
      }
    }
    String report = table + "\n" + causes.describe();
    new PrintStream(System.out, true, StandardCharsets.UTF_8).println(report);
    if (!out.toString().isEmpty()) {
      Files.writeString(out, report, StandardOpenOption.CREATE, StandardOpenOption.APPEND);
    }
    return causes.isEmpty() ? 0 : 1;
  }

  private String run(SqlLogicTestFiles files, ServerKind kind, Mode mode, Causes causes)
      throws SQLException, IOException {
    long began = System.nanoTime();
    SqlLogicTestRunner runner = new SqlLogicTestRunner(kind, mode == Mode.TRANSACTIONS, levels);
    for (SqlLogicTestFile file : files.choose(groups, engine(kind), statements, perFile)) {
      String name = files.name(file.path());
      System.err.println(kind + " " + mode + " " + runner.statements() + " " + name);
      runner.run(file, name, causes::add);
    }
    long seconds = (System.nanoTime() - began) / 1_000_000_000L;
    StringBuilder rows = new StringBuilder();
    for (Map.Entry<Level, SqlLogicTestRunner.Tally> entry : runner.tallies().entrySet()) {
      SqlLogicTestRunner.Tally tally = entry.getValue();
      rows.append(
          String.format(
              Locale.ROOT,
              "| %s | %s | %s | %d | %d | %d | %d | %s%s | %d |%n",
              kind,
              mode.name().toLowerCase(Locale.ROOT),
              entry.getKey().name().toLowerCase(Locale.ROOT),
              tally.statements,
              runner.failed(),
              tally.differences,
              tally.observed,
              tally.gaps,
              tally.notPrepared.isEmpty() ? "" : " not prepared: " + tally.notPrepared,
              seconds));
    }
    return rows.toString();
  }

  /** The DBMS as sqllogictest names it. */
  static String engine(ServerKind kind) {
    return switch (kind) {
      case MARIADB, MYSQL -> "mysql";
      case POSTGRESQL, SQLITE, H2 -> kind.name().toLowerCase(Locale.ROOT);
    };
  }
}
