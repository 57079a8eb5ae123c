package io.txwatch.bench.scale;

import static io.txwatch.bench.scale.WatchedByDefault.text;

import io.txwatch.bench.Machine;
import io.txwatch.bench.MarkdownTable;
import io.txwatch.bench.Median;
import io.txwatch.bench.OptionNames;
import io.txwatch.bench.Output;
import io.txwatch.bench.ServerVersion;
import io.txwatch.bench.overhead.Databases;
import io.txwatch.bench.overhead.ProcessorTime;
import io.txwatch.servers.ServerKind;
import io.txwatch.servers.TestServers;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/**
 * {@code texts}: the processor time of SQL texts that are new to a driver that is warm, as a query
 * builder with literals makes them. Raw and watched take turns in one thread, each with its own
 * database.
 */
@Command(
    name = "texts",
    description = "Measures the processor time of SQL texts that are new to the driver.",
    mixinStandardHelpOptions = true,
    showDefaultValues = true)
public final class TextsCommand implements Callable<Integer> {

  private static final ThreadMXBean THREADS = ManagementFactory.getThreadMXBean();
  private static final int ROWS = 1_000;

  /** So many texts of one connection, then as many of the other one. */
  private static final int TEXTS_PER_TURN = 60;

  private static final int TEXTS_PER_TRANSACTION = 10;

  @Option(names = "--db", split = ",", defaultValue = "h2,mysql")
  private List<String> databases = List.of();

  @Option(
      names = "--texts",
      description = "measured texts of each connection, after half as many for warm-up",
      defaultValue = "12000")
  private int texts = 12_000;

  @Mixin private Output output = new Output();

  @Spec private CommandSpec command = CommandSpec.create();

  /** The texts of one place in an application; each has other literals. */
  private enum Shape {
    BY_KEY("SELECT by key") {
      @Override
      String text(int n) {
        return "select a1_0.id,a1_0.balance,a1_0.owner from account a1_0 where a1_0.id="
            + n % ROWS
            + " and a1_0.balance<>"
            + -n;
      }
    },
    IN_LIST("SELECT of a list of keys") {
      @Override
      String text(int n) {
        return "select a1_0.id,a1_0.owner,a1_0.balance from account a1_0 where a1_0.id in ("
            + n % ROWS
            + ","
            + n * 7 % ROWS
            + ","
            + n * 13 % ROWS
            + ","
            + (ROWS + n)
            + ")";
      }
    },
    JOIN("SELECT of a join, sorted") {
      @Override
      String text(int n) {
        return "select e1_0.id,e1_0.amount,a1_0.id,a1_0.owner from entry e1_0 join account a1_0"
            + " on a1_0.id=e1_0.account_id where e1_0.account_id="
            + n % ROWS
            + " and a1_0.owner<>'name "
            + n
            + "' order by e1_0.id limit 10";
      }
    },
    PREPARED("SELECT by key, prepared, with a comment") {
      @Override
      String text(int n) {
        return "/* request "
            + n
            + " */ select a1_0.id,a1_0.balance,a1_0.owner from account a1_0 where a1_0.id=?";
      }
    },
    UPDATE("UPDATE by key") {
      @Override
      String text(int n) {
        return "update account set balance=" + n + ",owner='it''s " + n + "' where id=" + n % ROWS;
      }
    },
    INSERT("INSERT") {
      @Override
      String text(int n) {
        return "insert into entry (id,account_id,amount,note) values ("
            + (ROWS + n)
            + ","
            + n % ROWS
            + ","
            + n
            + ".25,'note "
            + n
            + "')";
      }
    };

    private final String title;

    Shape(String title) {
      this.title = title;
    }

    abstract String text(int n);
  }

  /** A connection, and the nanoseconds of its texts. */
  private static final class Client {
    private final Connection connection;
    private final Map<Shape, List<Double>> nanos = new EnumMap<>(Shape.class);
    private int next;

    Client(Connection connection) throws SQLException {
      this.connection = connection;
      connection.setAutoCommit(false);
      clear();
    }

    void clear() {
      for (Shape shape : Shape.values()) {
        nanos.put(shape, new ArrayList<>());
      }
    }

    void turn() throws SQLException {
      for (int i = 0; i < TEXTS_PER_TURN; i++) {
        Shape shape = Shape.values()[next % Shape.values().length];
        String text = shape.text(++next);
        long before = THREADS.getCurrentThreadCpuTime();
        execute(shape, text);
        of(shape).add((double) (THREADS.getCurrentThreadCpuTime() - before));
        if (next % TEXTS_PER_TRANSACTION == 0) {
          connection.commit();
        }
      }
    }

    private void execute(Shape shape, String text) throws SQLException {
      if (shape == Shape.PREPARED) {
        try (PreparedStatement statement = connection.prepareStatement(text)) {
          statement.setInt(1, next % ROWS);
          try (ResultSet rows = statement.executeQuery()) {
            read(rows);
          }
        }
        return;
      }
      try (Statement statement = connection.createStatement()) {
        if (statement.execute(text)) {
          try (ResultSet rows = statement.getResultSet()) {
            read(rows);
          }
        }
      }
    }

    private static void read(ResultSet rows) throws SQLException {
      while (rows.next()) {
        rows.getInt(1);
        rows.getString(2);
        rows.getString(3);
      }
    }

    private List<Double> of(Shape shape) {
      return Objects.requireNonNull(nanos.get(shape));
    }

    double micros(Shape shape) {
      return Median.of(of(shape)).median() / 1e3;
    }
  }

  @Override
  public Integer call() throws IOException, SQLException {
    output.write("## New SQL texts\n\n" + WatchedByDefault.commandLine(command));
    output.write(Machine.describe() + "\n\n");
    output.write(
        text(
            "Microseconds of processor time of the application's thread: medians of the texts of a"
                + " kind, each executed once.%n%n"));
    for (ServerKind kind : OptionNames.serverKinds(databases)) {
      measure(kind);
    }
    return 0;
  }

  private void measure(ServerKind kind) throws IOException, SQLException {
    Databases.startServer(kind);
    String rawUrl = TestServers.freshDatabase(kind);
    String watchedUrl = TestServers.freshDatabase(kind);
    create(rawUrl);
    create(watchedUrl);
    try (Connection first = DriverManager.getConnection(rawUrl);
        Connection second = DriverManager.getConnection(WatchedByDefault.url(watchedUrl))) {
      Client raw = new Client(first);
      Client watched = new Client(second);
      run(raw, watched, texts / 2);
      raw.clear();
      watched.clear();
      long process = ProcessHandle.current().pid();
      double before = ProcessorTime.ofWatchers(process);
      int measured = run(raw, watched, texts);
      double others = (ProcessorTime.ofWatchers(process) - before) * 1e6 / measured;
      output.write("### " + ServerVersion.withDriver(first) + "\n\n");
      output.write(table(raw, watched) + "\n");
      output.write(
          text(
              "%d texts each. txwatch's own threads: %.0f µs a text. Load average %s.%n%n",
              measured, others, Machine.load()));
    }
  }

  private static MarkdownTable table(Client raw, Client watched) {
    MarkdownTable table = new MarkdownTable("text", "raw", "watched", "more");
    double sumRaw = 0;
    double sumWatched = 0;
    for (Shape shape : Shape.values()) {
      row(table, shape.title, raw.micros(shape), watched.micros(shape));
      sumRaw += raw.micros(shape);
      sumWatched += watched.micros(shape);
    }
    int shapes = Shape.values().length;
    row(table, "mean of these", sumRaw / shapes, sumWatched / shapes);
    return table;
  }

  private static void row(MarkdownTable table, String title, double raw, double watched) {
    table.row(title, text("%.0f", raw), text("%.0f", watched), text("%+.0f", watched - raw));
  }

  /** Runs at least so many texts of each client; gives their number. */
  private static int run(Client raw, Client watched, int count) throws SQLException {
    int done = 0;
    while (done < count) {
      raw.turn();
      watched.turn();
      done += TEXTS_PER_TURN;
    }
    return done;
  }

  private static void create(String url) throws SQLException {
    try (Connection connection = DriverManager.getConnection(url);
        Statement statement = connection.createStatement()) {
      statement.execute(
          "CREATE TABLE account (id INT PRIMARY KEY, owner VARCHAR(40), balance INT NOT NULL)");
      statement.execute(
          "CREATE TABLE entry (id INT PRIMARY KEY, account_id INT NOT NULL, amount DECIMAL(12,2),"
              + " note VARCHAR(100))");
      statement.execute("CREATE INDEX entry_account ON entry (account_id)");
      List<String> accounts = new ArrayList<>();
      for (int id = 0; id < ROWS; id++) {
        accounts.add("(" + id + ",'owner " + id % 100 + "',100)");
      }
      statement.execute("INSERT INTO account VALUES " + String.join(",", accounts));
    }
  }
}
