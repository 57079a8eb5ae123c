package io.txwatch.analyzer;

import io.txwatch.anomaly.Anomaly;
import io.txwatch.dependency.Dependency;
import io.txwatch.dependency.Granularity;
import io.txwatch.guarantee.Judge;
import io.txwatch.history.Access;
import io.txwatch.history.AccessedColumns;
import io.txwatch.history.Database;
import io.txwatch.history.Event;
import io.txwatch.history.GapReason;
import io.txwatch.history.IsolationLevel;
import io.txwatch.history.KeyValues;
import io.txwatch.history.Outcome;
import io.txwatch.history.Product;
import io.txwatch.history.RowAccess;
import io.txwatch.history.StatementKind;
import io.txwatch.history.VersionSet;
import io.txwatch.history.WriterList;
import io.txwatch.history.WriterToken;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * A history on a line, after Adya's notation: {@code r1(x0) r2(x0) w2(x0) c2 w1(x2) c1}.
 *
 * <ul>
 *   <li>{@code r1(x0,y2)}: a SELECT of transaction 1 read the first version of row x and what
 *       transaction 2 last wrote to y; {@code y2.3} is what statement 3 of transaction 2 wrote,
 *       {@code y2.3!} a version with that token, whoever wrote it
 *   <li>{@code l1(x0)}: the same by SELECT … FOR UPDATE
 *   <li>{@code w1(x2)}: an UPDATE wrote the version after x2; it is named x1, or x1.n
 *   <li>{@code t1(x2)}: an UPDATE found row x by its key and made the version after x2; in {@code
 *       t1(x)} it made none
 *   <li>{@code i1(x)}, {@code d1(x2)}: INSERT, DELETE
 *   <li>{@code p1(x2)}: a DELETE skipped x2, which matches its predicate and was visible before it;
 *       {@code m1(x2)}: it missed x2, which matches its predicate and is visible after it
 *   <li>{@code b1(x2)}: an UPDATE whose rows were not observed (blind)
 *   <li>{@code f1(x2)}: an UPDATE failed after it had written the version after x2
 *   <li>{@code k1(2)}: an UPDATE failed, by which the DBMS ended a deadlock with the newest
 *       statement of transaction 2, which is named; in {@code k1()} no one is
 *   <li>{@code x0?}: returned by a side read, uncertain
 *   <li>{@code r1(x0;P:x0,y0)}: by predicate P, with the version set x0, y0; {@code P?:} if the set
 *       is uncertain, {@code _:} if the predicate has no name. So for all of r, l, w, b, i, d, p, m
 *   <li>{@code r1(x0)[a,b]}: it read columns a and b; {@code w1(x0)[a<b]}: it wrote a, and read b;
 *       {@code r1(;_:x0)[/a]}: it read a for its predicate alone; {@code r1(x0)[/a,id=id]}: it
 *       compares the unique key id with a constant. All columns if none are given
 *   <li>{@code i1(x){7}}: the rows that it chooses or inserts have the key 7
 *   <li>{@code s1(2-3)}: ROLLBACK TO a savepoint undid statements 2 to 3
 *   <li>{@code c1 a1 u1}: it committed, aborted, ended with an unknown outcome
 *   <li>{@code g1}: a gap in transaction 1
 *   <li>{@code 1@RR}: it runs at that level; READ COMMITTED otherwise
 *   <li>{@code 2^b}: its session is opened in run b of the server
 *   <li>{@code 2~1}: it runs in the session of transaction 1; a session each otherwise
 * </ul>
 *
 * Statements are numbered as they come. Findings are written {@code LOST_UPDATE 1-rw(x)>2-ww(x)>1}.
 */
public final class Notation {

  /** The DBMS of every history that names no other. */
  public static final Database POSTGRESQL =
      new Database(new Product("PostgreSQL", "18.6"), Map.of());

  private static final Pattern STEP =
      Pattern.compile("([a-z])(\\d+)(?:\\(([^)]*)\\))?(?:\\[([^]]*)])?(?:\\{(\\d+)})?");
  private static final Pattern VERSION = Pattern.compile("([a-z])(?:(\\d+)(?:\\.(\\d+))?)?");

  private final Database database;
  private final List<Event> events = new ArrayList<>();
  private final Map<Integer, IsolationLevel> levels = new HashMap<>();
  private final Map<Integer, Integer> sessions = new HashMap<>();
  private final Map<Integer, String> runs = new HashMap<>();
  private final Map<Integer, int[]> counts = new LinkedHashMap<>();
  private final Map<String, String> lists = new HashMap<>();

  /** The columns of the statement that is being read. */
  private String columns = "";

  /** The keys of the statement that is being read. */
  private List<KeyValues> keys = List.of();

  private Notation(Database database) {
    this.database = database;
  }

  /** The events of a history of that DBMS. */
  public static List<Event> events(String line, Database database) {
    Notation notation = new Notation(database);
    for (String step : line.strip().split("\\s+")) {
      notation.step(step);
    }
    return notation.events;
  }

  /** The events of a history that is written down in this notation. */
  public static List<Event> events(String line) {
    return events(line, POSTGRESQL);
  }

  static List<Anomaly> analyzed(List<Event> events, Granularity granularity) {
    List<Anomaly> found = new ArrayList<>();
    try (Analyzer analyzer = new Analyzer(Judge.DBMS, found::add, granularity)) {
      events.forEach(analyzer::accept);
    }
    return found;
  }

  static List<Anomaly> analyzed(List<Event> events) {
    List<Anomaly> found = new ArrayList<>();
    try (Analyzer analyzer = new Analyzer(Judge.DBMS, found::add)) {
      events.forEach(analyzer::accept);
    }
    return found;
  }

  /** What the analyzer finds in a history, one line each. */
  static List<String> findings(String line) {
    return findings(line, POSTGRESQL);
  }

  /** What the analyzer finds in a history of that DBMS, one line each. */
  static List<String> findings(String line, Database database) {
    return findings(events(line, database), Granularity.DEFAULT);
  }

  /** What the analyzer finds with those items, one line each. */
  static List<String> findings(List<Event> events, Granularity granularity) {
    return analyzed(events, granularity).stream().map(Notation::text).toList();
  }

  static String text(Anomaly anomaly) {
    StringBuilder text = new StringBuilder(anomaly.phenomenon().name()).append(' ');
    for (Dependency edge : anomaly.cycle()) {
      text.append(edge.from())
          .append('-')
          .append(edge.evidence().byPredicate() ? "p" : "")
          .append(edge.kind().term())
          .append(edge.evidence().possible() ? "?" : "")
          .append(edge.kind().isOrder() ? "" : "(" + (char) edge.row() + ")")
          .append('>');
    }
    return text.append(anomaly.cycle().get(anomaly.cycle().size() - 1).to()).toString();
  }

  private void step(String step) {
    int at = step.indexOf('@');
    if (at > 0) {
      levels.put(
          Integer.valueOf(step.substring(0, at)),
          IsolationLevel.parse(step.substring(at + 1)).orElseThrow());
      return;
    }
    at = step.indexOf('^');
    if (at > 0) {
      runs.put(Integer.valueOf(step.substring(0, at)), step.substring(at + 1));
      return;
    }
    at = step.indexOf('~');
    if (at > 0) {
      sessions.put(Integer.valueOf(step.substring(0, at)), Integer.valueOf(step.substring(at + 1)));
      return;
    }
    Matcher matcher = STEP.matcher(step);
    if (!matcher.matches()) {
      throw new IllegalArgumentException(step);
    }
    int tx = Integer.parseInt(matcher.group(2));
    int[] count = counts.computeIfAbsent(tx, this::begin);
    String arguments = matcher.group(3) == null ? "" : matcher.group(3);
    columns = matcher.group(4) == null ? "" : columns(matcher.group(1), matcher.group(4));
    keys =
        matcher.group(5) == null
            ? List.of()
            : List.of(new KeyValues("t", "id", List.of(Long.valueOf(matcher.group(5)))));
    switch (matcher.group(1).charAt(0)) {
      case 'r' -> statement(tx, count, StatementKind.SELECT, Access.READ, arguments, true);
      case 'l' -> statement(tx, count, StatementKind.LOCKING_SELECT, Access.READ, arguments, true);
      case 'w' -> statement(tx, count, StatementKind.UPDATE, Access.UPDATE, arguments, true);
      case 'b' -> statement(tx, count, StatementKind.UPDATE, Access.UPDATE, arguments, false);
      case 'f' -> failed(tx, count, arguments);
      case 'k' -> deadlocked(tx, count, arguments);
      case 't' -> statement(tx, count, StatementKind.UPDATE, Access.TARGET, arguments, true);
      case 'i' -> statement(tx, count, StatementKind.INSERT, Access.INSERT, arguments, true);
      case 'd' -> statement(tx, count, StatementKind.DELETE, Access.DELETE, arguments, true);
      case 'p' ->
          statement(tx, count, StatementKind.DELETE, Access.SKIPPED_BY_DELETE, arguments, true);
      case 'm' ->
          statement(tx, count, StatementKind.DELETE, Access.MISSED_BY_DELETE, arguments, true);
      case 's' -> {
        String[] range = arguments.split("-");
        count[1]++;
        events.add(
            new Event.StatementsUndone(
                session(tx), tx, Integer.parseInt(range[0]), Integer.parseInt(range[1])));
      }
      case 'g' -> events.add(new Event.Gap(session(tx), tx, GapReason.SHAPE, "", 1));
      case 'c' -> end(tx, count, Outcome.COMMITTED);
      case 'a' -> end(tx, count, Outcome.ABORTED);
      case 'u' -> end(tx, count, Outcome.UNKNOWN);
      default -> throw new IllegalArgumentException(step);
    }
  }

  private int[] begin(int tx) {
    if (session(tx) == tx) {
      events.add(new Event.SessionOpened(tx, "s" + tx, database.in(runs.getOrDefault(tx, ""))));
    }
    events.add(
        new Event.TransactionBegan(
            session(tx), tx, levels.getOrDefault(tx, IsolationLevel.READ_COMMITTED), 0));
    return new int[] {0, 1};
  }

  private void end(int tx, int[] count, Outcome outcome) {
    events.add(new Event.TransactionEnded(session(tx), tx, outcome, 0, count[1]));
  }

  private int session(int tx) {
    return sessions.getOrDefault(tx, tx);
  }

  private void statement(
      int tx, int[] count, StatementKind kind, Access access, String arguments, boolean seen) {
    int number = ++count[0];
    count[1]++;
    String[] parts = arguments.split(";", 2);
    List<RowAccess> rows = new ArrayList<>();
    for (String argument : split(parts[0])) {
      boolean certain = !argument.endsWith("?");
      String version = certain ? argument : argument.substring(0, argument.length() - 1);
      String row = version.substring(0, 1);
      boolean made = access == Access.UPDATE || access == Access.INSERT || version.length() > 1;
      String list = access == Access.INSERT || !made ? "" : list(version);
      if (access.isWrite() && access != Access.DELETE && made) {
        list = list + WriterToken.of(tx, number);
        lists.put(row + tx, list);
        lists.put(row + tx + "." + number, list);
      }
      if (access == Access.TARGET) {
        WriterList own = new WriterList(WriterToken.of(tx, number), false);
        rows.add(new RowAccess(access, "t", row.charAt(0), own, false));
      } else if (seen) {
        String window = list.substring(Math.max(0, list.length() - WriterList.WINDOW_LENGTH));
        rows.add(new RowAccess(access, "t", row.charAt(0), WriterList.ofColumn(window), certain));
      }
    }
    events.add(
        new Event.StatementExecuted(
            session(tx),
            tx,
            number,
            kind,
            kind + " " + arguments,
            "T" + tx + ".java:" + number,
            rows,
            seen,
            null,
            parts.length == 1 ? List.of() : List.of(versionSet(parts[1])),
            columns,
            keys));
  }

  private void failed(int tx, int[] count, String version) {
    int number = ++count[0];
    count[1]++;
    String list = list(version) + WriterToken.of(tx, number);
    lists.put(version.charAt(0) + "" + tx, list);
    events.add(
        new Event.StatementExecuted(
            session(tx),
            tx,
            number,
            StatementKind.UPDATE,
            "UPDATE " + version,
            "T" + tx + ".java:" + number,
            List.of(),
            false,
            "23000"));
  }

  private void deadlocked(int tx, int[] count, String other) {
    int number = ++count[0];
    count[1]++;
    events.add(
        new Event.StatementExecuted(
            session(tx),
            tx,
            number,
            StatementKind.UPDATE,
            "UPDATE",
            "T" + tx + ".java:" + number,
            List.of(),
            true,
            "40001"));
    List<Event.Deadlocked.Waiter> others = new ArrayList<>();
    if (!other.isEmpty()) {
      int with = Integer.parseInt(other);
      int[] ofOther = counts.getOrDefault(with, new int[2]);
      others.add(new Event.Deadlocked.Waiter(session(with), with, ofOther[0]));
    }
    events.add(new Event.Deadlocked(session(tx), tx, number, true, others));
  }

  private static String columns(String kind, String text) {
    String[] key = text.split("=", 2);
    String[] predicate = key[0].split("/", 2);
    String[] written = predicate[0].split("<", 2);
    boolean reads = kind.equals("r") || kind.equals("l");
    String read = reads ? written[0] : written.length == 1 ? "" : written[1];
    List<String> by = predicate.length == 1 ? List.of() : split(predicate[1]);
    List<String> all = new ArrayList<>(split(read));
    all.addAll(by);
    List<String> some =
        all.stream().filter(name -> name.endsWith("?")).map(Notation::plain).toList();
    all.replaceAll(Notation::plain);
    return new AccessedColumns(
            List.of(
                new AccessedColumns.OfTable(
                    "t",
                    AccessedColumns.Columns.of(all),
                    AccessedColumns.Columns.of(by),
                    AccessedColumns.Columns.of(reads ? List.of() : split(written[0])),
                    AccessedColumns.Columns.of(key.length == 1 ? List.of() : split(key[1])),
                    AccessedColumns.Columns.of(some))))
        .text();
  }

  private static String plain(String column) {
    return column.replace("?", "");
  }

  private VersionSet versionSet(String text) {
    String[] parts = text.split(":", 2);
    List<String> versions = split(parts[1]);
    StringBuilder writers = new StringBuilder();
    for (String version : versions) {
      String list = list(version);
      writers.append(
          list.isEmpty()
              ? WriterToken.of(0, 0)
              : list.substring(list.length() - WriterToken.LENGTH));
    }
    return new VersionSet(
        "t",
        parts[0].startsWith("_") ? 0 : parts[0].charAt(0),
        versions.stream().mapToLong(version -> version.charAt(0)).toArray(),
        writers.toString(),
        !parts[0].endsWith("?"));
  }

  /** The writers of a version. */
  private String list(String version) {
    Matcher matcher = VERSION.matcher(version.replace("!", ""));
    if (!matcher.matches()) {
      throw new IllegalArgumentException(version);
    }
    if (version.endsWith("!")) {
      return WriterToken.of(Integer.parseInt(matcher.group(2)), Integer.parseInt(matcher.group(3)));
    }
    String list = lists.get(version);
    if (list == null && !"0".equals(matcher.group(2))) {
      throw new IllegalArgumentException("no transaction wrote " + version);
    }
    return list == null ? "" : list;
  }

  private static List<String> split(String text) {
    return Arrays.stream(text.split(",")).map(String::strip).filter(t -> !t.isEmpty()).toList();
  }
}
