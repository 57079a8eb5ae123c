package io.txwatch.bench.scale;

import static io.txwatch.bench.scale.WatchedByDefault.percent;
import static io.txwatch.bench.scale.WatchedByDefault.text;

import io.txwatch.bench.JdkProcess;
import io.txwatch.bench.Machine;
import io.txwatch.bench.MarkdownTable;
import io.txwatch.bench.Median;
import io.txwatch.bench.OptionNames;
import io.txwatch.bench.Output;
import io.txwatch.bench.ServerVersion;
import io.txwatch.bench.overhead.Databases;
import io.txwatch.servers.ServerKind;
import io.txwatch.servers.TestServers;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
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
 * {@code connections}: an application with many connections and tables in a JVM with little memory.
 * Each run is a JVM of its own; raw and watched take turns, each with its own database.
 */
@Command(
    name = "connections",
    description = "Measures many connections and tables in a JVM with little memory.",
    mixinStandardHelpOptions = true,
    showDefaultValues = true)
public final class ConnectionsCommand implements Callable<Integer> {

  @Option(names = "--db", split = ",", description = "servers only", defaultValue = "mysql")
  private List<String> databases = List.of();

  @Option(names = "--connections", description = "a thread each", defaultValue = "200")
  private int connections = 200;

  @Option(names = "--tables", defaultValue = "1000")
  private int tables = 1_000;

  @Option(
      names = "--transactions",
      description = "measured transactions of all connections, after as many for warm-up",
      defaultValue = "10000")
  private int transactions = 10_000;

  @Option(names = "--rounds", description = "JVMs of each kind", defaultValue = "3")
  private int rounds = 3;

  @Option(names = "--heap", description = "of each JVM, in MiB", defaultValue = "128")
  private int heap = 128;

  @Mixin private Output output = new Output();

  @Spec private CommandSpec command = CommandSpec.create();

  @Override
  public Integer call() throws IOException, SQLException, InterruptedException {
    output.write("## Many connections, little memory\n\n" + WatchedByDefault.commandLine(command));
    output.write(Machine.describe() + "\n\n");
    output.write(
        text(
            "%d connections with a thread each, %d tables, -Xmx%dm. A transaction reads a row by"
                + " its key and updates it; a quarter of the transactions have literals in their"
                + " texts. Milliseconds of %d transactions, medians of %d JVMs: the first ones of the"
                + " JVM, and as many after them. *Seen*: the rows read whose version is known.%n%n",
            connections, tables, heap, transactions, rounds));
    MarkdownTable table = new MarkdownTable("DBMS", "", "raw", "watched", "ratio", "seen");
    for (ServerKind kind : OptionNames.serverKinds(databases)) {
      measure(kind, table);
    }
    output.write(table + "\nLoad average at the end: " + Machine.load() + "\n\n");
    return 0;
  }

  private void measure(ServerKind kind, MarkdownTable table)
      throws IOException, SQLException, InterruptedException {
    Databases.startServer(kind);
    String rawUrl = TestServers.freshDatabase(kind);
    String watchedUrl = TestServers.freshDatabase(kind);
    create(rawUrl);
    create(watchedUrl);
    List<ManyConnections.Result> raw = new ArrayList<>();
    List<ManyConnections.Result> watched = new ArrayList<>();
    for (int i = 0; i < rounds; i++) {
      raw.add(run(rawUrl));
      watched.add(run(WatchedByDefault.url(watchedUrl)));
      output.progress(raw.get(i) + " " + watched.get(i));
    }
    long known = watched.stream().mapToLong(ManyConnections.Result::known).sum();
    long read = watched.stream().mapToLong(ManyConnections.Result::read).sum();
    try (Connection connection = DriverManager.getConnection(rawUrl)) {
      String server = ServerVersion.of(connection);
      double rawFirst = median(raw, true);
      double watchedFirst = median(watched, true);
      row(table, server, "first", rawFirst, watchedFirst, "");
      row(table, server, "warm", median(raw, false), median(watched, false), percent(known, read));
    }
  }

  private static void row(
      MarkdownTable table, String server, String phase, double raw, double watched, String seen) {
    table.row(
        server, phase, text("%.0f", raw), text("%.0f", watched), text("%.2f", watched / raw), seen);
  }

  private static double median(List<ManyConnections.Result> results, boolean first) {
    return Median.of(
            results.stream().map(r -> (double) (first ? r.firstMillis() : r.warmMillis())).toList())
        .median();
  }

  private ManyConnections.Result run(String url) throws IOException, InterruptedException {
    List<String> arguments =
        List.of(
            url,
            Integer.toString(connections),
            Integer.toString(tables),
            Integer.toString(transactions));
    Path errors = Files.createTempFile("connections", ".stderr");
    try {
      return run(arguments, errors);
    } finally {
      Files.delete(errors);
    }
  }

  private ManyConnections.Result run(List<String> arguments, Path errors)
      throws IOException, InterruptedException {
    Process process =
        new ProcessBuilder(
                JdkProcess.ofClass(List.of("-Xmx" + heap + "m"), ManyConnections.class, arguments))
            .redirectError(ProcessBuilder.Redirect.to(errors.toFile()))
            .start();
    ManyConnections.Result result = null;
    try (BufferedReader lines =
        new BufferedReader(
            new InputStreamReader(process.getInputStream(), StandardCharsets.UTF_8))) {
      for (String line = lines.readLine(); line != null; line = lines.readLine()) {
        if (line.startsWith(ManyConnections.RESULT_PREFIX)) {
          result =
              ManyConnections.Result.parse(line.substring(ManyConnections.RESULT_PREFIX.length()));
        } else {
          output.progress(line);
        }
      }
    }
    int exit = process.waitFor();
    if (exit != 0 || result == null) {
      throw new IOException("ended with " + exit + ": " + Files.readString(errors));
    }
    return result;
  }

  private void create(String url) throws SQLException {
    try (Connection connection = DriverManager.getConnection(url);
        Statement statement = connection.createStatement()) {
      for (int i = 0; i < tables; i++) {
        statement.execute(
            "CREATE TABLE account"
                + i
                + " (id INT PRIMARY KEY, owner VARCHAR(40) NOT NULL, balance INT NOT NULL)");
        List<String> rows = new ArrayList<>();
        for (int id = 0; id < ManyConnections.ROWS; id++) {
          rows.add("(" + id + ",'owner " + id + "',100)");
        }
        statement.execute("INSERT INTO account" + i + " VALUES " + String.join(",", rows));
      }
    }
  }
}
