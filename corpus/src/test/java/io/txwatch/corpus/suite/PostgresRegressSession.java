package io.txwatch.corpus.suite;

import io.txwatch.capture.Pipeline;
import io.txwatch.corpus.Outcome;
import io.txwatch.corpus.StatementTraits;
import io.txwatch.corpus.Watching;
import io.txwatch.rewrite.RewritePlanner.Level;
import io.txwatch.servers.PostgresServer;
import java.io.IOException;
import java.io.StringWriter;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.ResultSetMetaData;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Deque;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.regex.Pattern;
import org.postgresql.PGConnection;
import org.postgresql.copy.CopyIn;

/**
 * A PostgreSQL server that one run of the regression scripts has to itself: roles and tablespaces
 * belong to a server. Each script begins with a new connection to one database, as pg_regress runs
 * them.
 */
final class PostgresRegressSession implements AutoCloseable {

  /** The outcome of one statement. */
  record Result(int line, String sql, List<String> outcome, boolean failed) {}

  private static final Pattern COPY_IN = Pattern.compile("(?is)\\s*copy\\b.*\\bfrom\\s+stdin\\b.*");
  private static final Pattern COPY_OUT = Pattern.compile("(?is)\\s*copy\\b.*\\bto\\s+stdout\\b.*");
  private static final Pattern COPY_AMONG_OTHERS =
      Pattern.compile(
          "(?is).*;.*\\bcopy\\b.*\\bstd(?:in|out)\\b.*|\\s*copy\\b.*\\bstd(?:in|out)\\b.*;.*");
  private static final String DATABASE = "regression";

  private final PostgresServer server;
  private final Path files;
  private final Path output;
  private final Optional<Level> level;
  private final Optional<Pipeline> pipeline;
  private final Map<String, Long> skipped = new TreeMap<>();
  private String database = DATABASE;
  private String user = "postgres";
  private Connection connection;

  /**
   * @param files the folder that has the folder of the scripts and that of their data
   * @param level the level at which connections are watched; empty if they are not
   */
  PostgresRegressSession(Path files, Optional<Level> level, Optional<Pipeline> pipeline)
      throws SQLException, IOException {
    this.files = files;
    this.level = level;
    this.pipeline = pipeline;
    // No statement may wait for ever, nor depend on when statistics were collected.
    this.server =
        PostgresServer.start(
            List.of(
                "autovacuum=off",
                "statement_timeout=60s",
                "wal_level=logical",
                "max_worker_processes=16",
                "deadlock_timeout=200ms"));
    this.output = Files.createTempDirectory("txwatch-regress");
    Files.createDirectory(output.resolve("results"));
    server.newDatabase(DATABASE);
    this.connection = open();
  }

  /** What was not executed, by meta command. */
  Map<String, Long> skipped() {
    return skipped;
  }

  private String url(String name, String role) {
    return server.url().replaceFirst("/[^/?]*\\?.*", "/" + name + "?user=" + role);
  }

  private Connection open() throws SQLException {
    String url = url(database, user);
    Connection real = DriverManager.getConnection(url);
    return level.isPresent()
        ? Watching.watch(real, url, level.get(), pipeline.orElseThrow())
        : real;
  }

  private void connect(String name, String role) throws SQLException {
    connection.close();
    String lastDatabase = database;
    String lastUser = user;
    try {
      database = name;
      user = role;
      connection = open();
    } catch (SQLException e) {
      database = lastDatabase;
      user = lastUser;
      connection = open();
    }
  }

  /** Executes a script; the results by the statements' offsets. */
  Map<Integer, Result> run(String script) throws SQLException {
    connect(DATABASE, "postgres");
    PsqlReader reader = new PsqlReader(script);
    Map<String, String> variables = reader.variables();
    variables.put("DBNAME", DATABASE);
    variables.put("USER", "postgres");
    Map<Integer, Result> results = new LinkedHashMap<>();
    Deque<Boolean> conditions = new ArrayDeque<>(); // a branch was taken
    Deque<Boolean> active = new ArrayDeque<>();
    for (Optional<PsqlReader.Piece> next = reader.next(); next.isPresent(); next = reader.next()) {
      PsqlReader.Piece piece = next.get();
      boolean runs = !active.contains(false);
      String arguments = piece.text();
      switch (piece.command()) {
        case "\\if" -> {
          boolean holds = isTrue(reader.expand(arguments));
          conditions.push(holds);
          active.push(holds);
        }
        case "\\elif", "\\else" -> {
          if (conditions.isEmpty()) { // as psql, which only complains
            break;
          }
          boolean taken = conditions.pop();
          boolean holds =
              !taken && (piece.command().equals("\\else") || isTrue(reader.expand(arguments)));
          conditions.push(taken || holds);
          active.pop();
          active.push(holds);
        }
        case "\\endif" -> {
          conditions.poll();
          active.poll();
        }
        default -> {
          if (runs && piece.command().equals("\\quit")) {
            return results;
          }
          if (runs) {
            perform(reader, piece, results);
          } else {
            reader.pending();
          }
        }
      }
    }
    return results;
  }

  private static boolean isTrue(String text) {
    return List.of("t", "true", "on", "1", "yes", "y")
        .contains(text.strip().replace("'", "").toLowerCase(Locale.ROOT));
  }

  private void perform(PsqlReader reader, PsqlReader.Piece piece, Map<Integer, Result> results)
      throws SQLException {
    String[] words = reader.expand(piece.text()).split("\\s+");
    switch (piece.command()) {
      case "" -> execute(reader, piece, results);
      case "\\g", "\\gx" -> {
        Optional<PsqlReader.Piece> pending = reader.pending();
        if (pending.isPresent()) {
          execute(reader, pending.get(), results);
        }
      }
      case "\\gset", "\\gexec" -> {
        Optional<PsqlReader.Piece> pending = reader.pending();
        if (pending.isPresent()) {
          List<Map<String, String>> rows = execute(reader, pending.get(), results);
          if (piece.command().equals("\\gset")) {
            rows.stream()
                .limit(1)
                .forEach(row -> row.forEach((k, v) -> reader.variables().put(words[0] + k, v)));
          } else {
            int offset = piece.offset();
            for (Map<String, String> row : rows) {
              for (String sql : row.values()) {
                execute(reader, new PsqlReader.Piece(++offset, piece.line(), sql, ""), results);
              }
            }
          }
        }
      }
      case "\\r" -> reader.pending();
      case "\\set" -> {
        if (!words[0].isEmpty()) {
          StringBuilder value = new StringBuilder();
          for (int i = 1; i < words.length; i++) {
            boolean quoted = words[i].length() > 1 && words[i].matches("'.*'");
            value.append(quoted ? words[i].substring(1, words[i].length() - 1) : words[i]);
          }
          reader.variables().put(words[0], value.toString());
        }
      }
      case "\\unset" -> reader.variables().remove(words[0]);
      case "\\getenv" -> {
        if (words.length > 1) {
          reader
              .variables()
              .put(
                  words[0],
                  switch (words[1]) {
                    case "PG_ABS_SRCDIR" -> files.toString();
                    case "PG_ABS_BUILDDIR" -> output.toString();
                    case "PG_LIBDIR" -> "/nowhere"; // the functions in C are not compiled
                    default -> ".so";
                  });
        }
      }
      case "\\c", "\\connect" ->
          connect(
              words[0].isEmpty() || words[0].equals("-") ? database : unquoted(words[0]),
              words.length < 2 || words[1].equals("-") ? user : unquoted(words[1]));
      case "\\echo", "\\pset", "\\a", "\\t", "\\x", "\\p", "\\warn", "\\qecho", "\\timing" -> {}
      default -> skipped.merge(piece.command(), 1L, Long::sum);
    }
  }

  private static String unquoted(String name) {
    return name.startsWith("\"") ? name.substring(1, name.length() - 1) : name;
  }

  /** Executes a statement and records what is visible. Returns the rows of its first result. */
  private List<Map<String, String>> execute(
      PsqlReader reader, PsqlReader.Piece piece, Map<Integer, Result> results) throws SQLException {
    List<Map<String, String>> rows = new ArrayList<>();
    String sql = piece.text();
    if (COPY_AMONG_OTHERS.matcher(sql).matches()) { // the driver waits for ever
      skipped.merge("COPY among other statements", 1L, Long::sum);
      return rows;
    }
    boolean ordered = StatementTraits.isOrdered(sql);
    Outcome outcome =
        Outcome.of(
            ordered,
            false,
            seen -> {
              if (COPY_IN.matcher(sql).matches()) {
                copyIn(sql, reader, seen);
              } else if (COPY_OUT.matcher(sql).matches()) {
                copyOut(sql, seen);
              } else {
                statement(piece, ordered, seen, rows);
              }
            });
    results.put(piece.offset(), new Result(piece.line(), sql, outcome.lines(), outcome.failed()));
    if (connection.isClosed()) {
      connection = open();
    }
    return rows;
  }

  private void copyIn(String sql, PsqlReader reader, Outcome seen) throws SQLException {
    CopyIn copy = ((PGConnection) connection).getCopyAPI().copyIn(sql);
    byte[] data = reader.copyData().getBytes(StandardCharsets.UTF_8);
    copy.writeToCopy(data, 0, data.length);
    seen.line("copied " + copy.endCopy());
  }

  private void copyOut(String sql, Outcome seen) throws SQLException {
    StringWriter text = new StringWriter();
    try {
      seen.line("copied " + ((PGConnection) connection).getCopyAPI().copyOut(sql, text));
    } catch (IOException e) {
      throw new SQLException(e);
    }
    List<String> lines = new ArrayList<>(text.toString().lines().toList());
    Collections.sort(lines);
    lines.forEach(line -> seen.line("row " + line));
  }

  private void statement(
      PsqlReader.Piece piece, boolean ordered, Outcome seen, List<Map<String, String>> rows)
      throws SQLException {
    String sql = piece.text();
    boolean prepares =
        piece.offset() % 2 == 1
            && sql.indexOf('?') < 0
            && sql.indexOf('$') < 0
            && StatementTraits.isQueryOrWrite(sql);
    if (prepares) {
      try (PreparedStatement statement = connection.prepareStatement(sql)) {
        results(statement, statement.execute(), ordered, seen, rows);
      }
    } else {
      try (Statement statement = connection.createStatement()) {
        statement.setEscapeProcessing(false);
        results(statement, statement.execute(sql), ordered, seen, rows);
      }
    }
  }

  private static void results(
      Statement statement,
      boolean isResult,
      boolean ordered,
      Outcome seen,
      List<Map<String, String>> rows)
      throws SQLException {
    boolean more = isResult;
    while (true) {
      int count = statement.getUpdateCount();
      seen.line((more ? "result " : "count ") + count);
      if (more) {
        try (ResultSet result = statement.getResultSet()) {
          rows(result, ordered, seen, rows);
        }
      } else if (count == -1) {
        break;
      }
      more = statement.getMoreResults();
    }
    seen.warnings(statement.getWarnings());
  }

  private static void rows(
      ResultSet result, boolean ordered, Outcome seen, List<Map<String, String>> named)
      throws SQLException {
    ResultSetMetaData metaData = result.getMetaData();
    int columns = metaData.getColumnCount();
    for (int i = 1; i <= columns; i++) {
      seen.line(
          "column "
              + String.join(
                  " | ",
                  metaData.getColumnLabel(i),
                  metaData.getColumnName(i),
                  metaData.getTableName(i),
                  metaData.getColumnTypeName(i),
                  String.valueOf(metaData.getColumnType(i)),
                  String.valueOf(metaData.getPrecision(i)),
                  String.valueOf(metaData.getScale(i)),
                  String.valueOf(metaData.isNullable(i)),
                  String.valueOf(metaData.isAutoIncrement(i)),
                  metaData.getColumnClassName(i)));
    }
    List<String> rows = new ArrayList<>();
    while (result.next()) {
      List<String> values = new ArrayList<>();
      Map<String, String> row = new LinkedHashMap<>();
      for (int i = 1; i <= columns; i++) {
        String value = result.getString(i); // as text: any DateStyle
        values.add(value);
        if (value != null) {
          row.put(metaData.getColumnLabel(i), value);
        }
      }
      if (named.size() < 1000) {
        named.add(row);
      }
      rows.add("row " + values);
    }
    if (!ordered) {
      Collections.sort(rows);
    }
    rows.forEach(seen::line);
  }

  /** The rows of all tables, the sequences and the prepared transactions, by name. */
  Map<String, List<String>> contents() throws SQLException {
    connection.close();
    Map<String, List<String>> contents = new TreeMap<>();
    try (Connection own = DriverManager.getConnection(url(DATABASE, "postgres"));
        Statement statement = own.createStatement()) {
      statement.execute("SET lock_timeout = '2s'");
      statement.execute("SET row_security = off");
      contents.put("prepared transactions", list(statement, "SELECT gid FROM pg_prepared_xacts"));
      contents.put(
          "sequences",
          list(statement, "SELECT schemaname, sequencename, last_value FROM pg_sequences"));
      contents.put(
          "large objects",
          list(statement, "SELECT count(*), sum(length(data)) FROM pg_largeobject"));
      for (String table :
          list(
              statement,
              "SELECT format('%I.%I', nspname, relname) FROM pg_class c JOIN pg_namespace n"
                  + " ON n.oid = relnamespace WHERE relkind IN ('r', 'm')"
                  + " AND nspname !~ '^(pg_|information_schema)'")) {
        contents.put(
            table,
            list(
                statement,
                "SELECT count(*), sum(hashtextextended(t::text, 0)) FROM ONLY " + table + " t"));
      }
    }
    return contents;
  }

  private static List<String> list(Statement statement, String sql) {
    List<String> rows = new ArrayList<>();
    try (ResultSet result = statement.executeQuery(sql)) {
      int columns = result.getMetaData().getColumnCount();
      while (result.next()) {
        List<String> values = new ArrayList<>();
        for (int i = 1; i <= columns; i++) {
          values.add(result.getString(i));
        }
        rows.add(String.join(" | ", values.stream().map(String::valueOf).toList()));
      }
    } catch (SQLException e) {
      rows.add("error " + e.getSQLState());
    }
    Collections.sort(rows);
    return rows;
  }

  @Override
  public void close() throws SQLException {
    connection.close();
    server.close();
  }
}
