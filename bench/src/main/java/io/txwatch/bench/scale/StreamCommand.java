package io.txwatch.bench.scale;

import static io.txwatch.bench.scale.WatchedByDefault.percent;
import static io.txwatch.bench.scale.WatchedByDefault.text;

import io.txwatch.bench.AccountTable;
import io.txwatch.bench.Machine;
import io.txwatch.bench.MarkdownTable;
import io.txwatch.bench.Median;
import io.txwatch.bench.OptionNames;
import io.txwatch.bench.Output;
import io.txwatch.bench.ServerVersion;
import io.txwatch.bench.overhead.Databases;
import io.txwatch.servers.ServerKind;
import io.txwatch.servers.TestServers;
import java.io.IOException;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/**
 * {@code stream}: an export, one result with many rows that the driver streams. Raw and watched
 * take turns in one thread, each with its own database.
 */
@Command(
    name = "stream",
    description = "Measures a result of many rows that is streamed.",
    mixinStandardHelpOptions = true,
    showDefaultValues = true)
public final class StreamCommand implements Callable<Integer> {

  private static final int WARM_UP = 3;

  @Option(names = "--db", split = ",", defaultValue = "mysql,postgresql,h2")
  private List<String> databases = List.of();

  @Option(names = "--rows", description = "rows of the result", defaultValue = "100000")
  private int rows = 100_000;

  @Option(
      names = "--rounds",
      description = "measured results of each connection, after " + WARM_UP + " for warm-up",
      defaultValue = "9")
  private int rounds = 9;

  @Mixin private Output output = new Output();

  @Spec private CommandSpec command = CommandSpec.create();

  @Override
  public Integer call() throws IOException, SQLException, InterruptedException {
    output.write("## Results that are streamed\n\n" + WatchedByDefault.commandLine(command));
    output.write(Machine.describe() + "\n\n");
    output.write(
        text(
            "A SELECT of all %,d rows of a table, four columns, in a transaction; each value is"
                + " read. Milliseconds: medians of %d. *Seen*: the rows whose version is known.%n%n",
            rows, rounds));
    MarkdownTable table = new MarkdownTable("DBMS", "raw", "watched", "ratio", "seen");
    for (ServerKind kind : OptionNames.serverKinds(databases)) {
      measure(kind, table);
    }
    output.write(table + "\nLoad average at the end: " + Machine.load() + "\n\n");
    return 0;
  }

  private void measure(ServerKind kind, MarkdownTable table)
      throws SQLException, InterruptedException {
    Databases.startServer(kind);
    String rawUrl = TestServers.freshDatabase(kind);
    String watchedUrl = TestServers.freshDatabase(kind);
    for (String url : List.of(rawUrl, watchedUrl)) {
      try (Connection connection = DriverManager.getConnection(url)) {
        AccountTable.create(connection, rows, 50);
      }
    }
    try (Connection raw = DriverManager.getConnection(rawUrl);
        Connection watched = DriverManager.getConnection(WatchedByDefault.url(watchedUrl))) {
      raw.setAutoCommit(false);
      watched.setAutoCommit(false);
      for (int i = 0; i < WARM_UP; i++) {
        stream(kind, raw);
        stream(kind, watched);
      }
      List<Double> rawMillis = new ArrayList<>();
      List<Double> watchedMillis = new ArrayList<>();
      long before = WatchedByDefault.awaitKnown((long) rows * WARM_UP);
      long known = before;
      for (int i = 1; i <= rounds; i++) {
        rawMillis.add(stream(kind, raw));
        watchedMillis.add(stream(kind, watched));
        // What is analyzed is not waited for in the time; an export is not repeated at once.
        known = WatchedByDefault.awaitKnown(before + (long) rows * i);
        output.progress(text("%s: %s", OptionNames.option(kind), watchedMillis.get(i - 1)));
      }
      double ofRaw = Median.of(rawMillis).median();
      double ofWatched = Median.of(watchedMillis).median();
      table.row(
          ServerVersion.of(raw) + ", " + fetching(kind),
          text("%.0f", ofRaw),
          text("%.0f", ofWatched),
          text("%.2f", ofWatched / ofRaw),
          percent(known - before, (long) rows * rounds));
    }
  }

  private static String fetching(ServerKind kind) {
    return switch (kind) {
      case MYSQL -> "row by row";
      case POSTGRESQL, MARIADB -> "1000 at a time";
      case H2, SQLITE -> "in process";
    };
  }

  /** The milliseconds of one result. */
  private double stream(ServerKind kind, Connection connection) throws SQLException {
    long started = System.nanoTime();
    int count = 0;
    try (Statement statement =
        connection.createStatement(ResultSet.TYPE_FORWARD_ONLY, ResultSet.CONCUR_READ_ONLY)) {
      statement.setFetchSize(kind == ServerKind.MYSQL ? Integer.MIN_VALUE : 1_000);
      try (ResultSet result =
          statement.executeQuery("SELECT id, owner, balance, note FROM account")) {
        while (result.next()) {
          result.getInt(1);
          result.getString(2);
          result.getInt(3);
          result.getString(4);
          count++;
        }
      }
    }
    connection.commit();
    double millis = (System.nanoTime() - started) / 1e6;
    if (count != rows) {
      throw new SQLException("rows read: " + count);
    }
    return millis;
  }
}
