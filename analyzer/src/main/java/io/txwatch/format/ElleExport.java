package io.txwatch.format;

import io.txwatch.dependency.ColumnBits;
import io.txwatch.format.VersionTrees.Version;
import io.txwatch.history.Access;
import io.txwatch.history.Event;
import io.txwatch.history.HistoryReader;
import io.txwatch.history.Outcome;
import io.txwatch.history.RowAccess;
import java.io.IOException;
import java.io.Writer;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * Exports a txwatch history as a list-append history of Elle, so that another tool can judge it.
 *
 * <p>A row becomes a key, a write the append of a number, and a read the list of all numbers
 * appended before. To make the lists express exactly what the history does:
 *
 * <ul>
 *   <li>Two transactions that use different columns of a row do not depend on each other. A row has
 *       a key for each of its {@linkplain ColumnGroups groups of columns}: one if all statements
 *       that wrote its table wrote the same columns, or if it is not known which.
 *   <li>Elle learns the order of versions from reads only, and often no transaction reads a row's
 *       last writes. At the end each key is read once more, by a transaction of its own.
 *   <li>Lists of a row that is written forever would grow without bound, and the file
 *       quadratically. After {@value #SEGMENT} versions a row continues under a new key, whose
 *       first element is the last one of the old key: that write appends to both, so no dependency
 *       is lost.
 *   <li>Where a writers' list does not reach back to an older observed version, the row continues
 *       under a new key, too.
 *   <li>What a rollback to a savepoint undid becomes a failed transaction of its own. Writers known
 *       only by a token become transactions of unknown outcome.
 * </ul>
 *
 * <p>Transactions are written when they ended, their invocations when they began. Processes and
 * indexes are those of the recording, which does not prove real time. Omitted and counted are:
 * uncertain accesses, predicates, and what a transaction saw of its own writes before it undid
 * them.
 */
public final class ElleExport {

  /** The length at which a list continues under a new key. */
  static final int SEGMENT = 64;

  private final Writer out;
  private final WriterIds ids = new WriterIds();
  private final VersionTrees versions = new VersionTrees(ids);
  private final ResolvedRows rows = new ResolvedRows();
  private final Map<Long, String> places = new HashMap<>();
  private final Map<Long, Ended> ends = new HashMap<>();
  private final Map<Segment, Integer> keys = new LinkedHashMap<>();
  private final Map<Long, Long> processes = new HashMap<>();
  private final Map<Long, Open> open = new LinkedHashMap<>();
  private long nextProcess;
  private long index;
  private long transactions;
  private long operations;
  private final Map<Omitted, Long> omitted = new EnumMap<>(Omitted.class);

  /** A part of the versions of a row's group of columns, up to {@link #SEGMENT} and one. */
  private record Segment(Version root, int group, int number) {}

  /** How a transaction ended, and which of its statements were undone. */
  private record Ended(Outcome outcome, boolean lossy, List<Event.StatementsUndone> undone) {
    boolean keeps(int statement) {
      return undone.stream()
          .noneMatch(u -> statement >= u.firstStatement() && statement <= u.lastStatement());
    }
  }

  /** An active transaction. */
  private static final class Open {
    final long process;
    final TreeMap<Integer, List<String>> reads = new TreeMap<>();

    Open(long process) {
      this.process = process;
    }
  }

  /**
   * What was exported.
   *
   * @param transactions the transactions, not counting those added for the export
   * @param operations their reads and appends
   * @param omitted how often something could not be expressed; without what was always expressed
   */
  public record Written(long transactions, long operations, Map<Omitted, Long> omitted) {}

  /** What lists cannot express. */
  public enum Omitted {
    /** Dependencies by predicates. */
    PREDICATES("reads by predicate: phantoms are not in the export"),
    /** Accesses that are only possible. */
    POSSIBLE("accesses that may have been of another version: possible anomalies are not in it"),
    /** What a transaction read of its own writes before it undid them. */
    UNDONE("reads of own writes that a rollback to a savepoint undid"),
    /** Versions whose writer or place in the order is unknown. */
    UNKNOWN_VERSION("reads of versions whose writer is unknown"),
    /** Reads of transactions whose end was not recorded. */
    NO_END("statements of transactions whose end is not in the history");

    private final String text;

    Omitted(String text) {
      this.text = text;
    }

    /** What was omitted, in the plural, for display. */
    public String text() {
      return text;
    }
  }

  private void omit(Omitted what, long count) {
    if (count > 0) {
      omitted.merge(what, count, Long::sum);
    }
  }

  private Written written() {
    return new Written(transactions, operations, Map.copyOf(omitted));
  }

  private ElleExport(Writer out) {
    this.out = out;
  }

  /**
   * Exports a history file as EDN.
   *
   * @throws io.txwatch.history.HistoryFormatException if it is not a txwatch history
   */
  public static Written write(Path history, Writer out) throws IOException {
    ElleExport export = new ElleExport(out);
    try (HistoryReader reader = HistoryReader.open(history)) {
      reader.forEach(export.rows::learn);
    }
    export.rows.complete();
    try (HistoryReader reader = HistoryReader.open(history)) {
      reader.forEach(event -> export.ids.learn(export.rows.with(event)));
    }
    try (HistoryReader reader = HistoryReader.open(history)) {
      reader.forEach(event -> export.learn(export.rows.with(event)));
    }
    export.start();
    try (HistoryReader reader = HistoryReader.open(history)) {
      for (var event = reader.next(); event.isPresent(); event = reader.next()) {
        export.export(export.rows.with(event.get()));
      }
    }
    export.end();
    return export.written();
  }

  /** Writes events as EDN. */
  static Written write(List<Event> events, Writer out) throws IOException {
    ElleExport export = new ElleExport(out);
    events.forEach(export.ids::learn);
    events.forEach(export::learn);
    export.start();
    for (Event event : events) {
      export.export(event);
    }
    export.end();
    return export.written();
  }

  // First pass: rows that became known after their statements. Second pass: the transactions behind
  // ids. Third pass: the order of versions, and how transactions ended.

  private final Map<Long, int[]> counts = new HashMap<>();

  /** Transactions that omitted statements. */
  private final Set<Long> shed = new HashSet<>();

  private void learn(Event event) {
    if (event instanceof Event.SessionOpened e) {
      places.put(e.session(), e.database().scope());
    } else if (event instanceof Event.StatementExecuted e) {
      versions.learn(place(e.session()), e);
      count(e.transaction());
    } else if (event instanceof Event.TransactionBegan e) {
      if (!e.share().isAll()) {
        shed.add(e.transaction());
      }
      count(e.transaction());
    } else if (event instanceof Event.StatementsUndone e) {
      count(e.transaction());
    } else if (event instanceof Event.TransactionEnded e) {
      int seen = counts.getOrDefault(e.transaction(), new int[1])[0];
      boolean lossy = e.events() > 0 && e.events() != seen || shed.remove(e.transaction());
      ends.putIfAbsent(e.transaction(), new Ended(e.outcome(), lossy, ids.undone(e.transaction())));
    }
  }

  private void count(long transaction) {
    counts.computeIfAbsent(transaction, t -> new int[1])[0]++;
  }

  private String place(long session) {
    return places.getOrDefault(session, "session " + session);
  }

  // Fourth pass: the operations.

  /** By the example in the first line the format is detected, also if nothing follows. */
  private void start() throws IOException {
    versions.complete();
    out.write("; list-append: [:append key element], [:r key [elements]]\n");
  }

  private void export(Event event) throws IOException {
    if (event instanceof Event.TransactionBegan e) {
      begin(e.session(), e.transaction());
    } else if (event instanceof Event.StatementExecuted e) {
      begin(e.session(), e.transaction());
      reads(e);
    } else if (event instanceof Event.TransactionEnded e) {
      Open running = open.remove(e.transaction());
      if (running != null) {
        end(e.session(), e.transaction(), running);
      }
    }
  }

  private void begin(long session, long transaction) throws IOException {
    if (open.containsKey(transaction) || !ends.containsKey(transaction)) {
      return;
    }
    if (open.values().stream().anyMatch(other -> other.process == process(session))) {
      processes.put(session, nextProcess++); // one process executes one transaction at a time
    }
    Open running = new Open(process(session));
    open.put(transaction, running);
    line("invoke", running.process, operations(transaction, running, false));
  }

  private long process(long session) {
    return processes.computeIfAbsent(session, s -> nextProcess++);
  }

  private void reads(Event.StatementExecuted e) throws IOException {
    Open running = open.get(e.transaction());
    omit(Omitted.PREDICATES, e.versionSets().size());
    if (running == null || !e.succeeded()) {
      omit(Omitted.NO_END, running == null ? 1 : 0);
      return;
    }
    for (RowAccess access : e.rows()) {
      if (!access.certain()) {
        omit(Omitted.POSSIBLE, 1);
      } else if (access.access() == Access.READ) {
        Version version = versions.version(place(e.session()), e, access);
        if (version == null) {
          omit(Omitted.UNKNOWN_VERSION, 1);
        } else {
          reads(e, version, running.reads.computeIfAbsent(e.statement(), s -> new ArrayList<>()));
        }
      }
    }
  }

  private void reads(Event.StatementExecuted e, Version version, List<String> to)
      throws IOException {
    ColumnBits.Used used = version.columns.used(e.columns());
    long columns = used.read() & ~used.unsure();
    for (int group = 0; group < version.columns.size(); group++) {
      if (version.columns.has(group, columns)) {
        if (showsOwnUndone(e.transaction(), version, group)) {
          omit(Omitted.UNDONE, 1);
        } else {
          to.add(read(version, group));
        }
      } else if (version.columns.has(group, used.read())) {
        omit(Omitted.POSSIBLE, 1);
      }
    }
  }

  /**
   * Whether a read shows an own write that was later rolled back to a savepoint, which no list can
   * express.
   */
  private boolean showsOwnUndone(long reader, Version read, int group) {
    Ended ended = ends.get(reader);
    boolean shows = false;
    for (Version v = read; ended != null && !ended.undone.isEmpty() && v != null; v = v.previous) {
      shows |= v.transaction == reader && v.writes(group) && !ended.keeps(v.statement);
    }
    return shows;
  }

  private void end(long session, long transaction, Open running) throws IOException {
    Ended ended = ends.getOrDefault(transaction, new Ended(Outcome.UNKNOWN, true, List.of()));
    Outcome outcome = ended.lossy ? Outcome.UNKNOWN : ended.outcome;
    String type =
        switch (outcome) {
          case COMMITTED -> "ok";
          case ABORTED -> "fail";
          case UNKNOWN -> "info";
        };
    List<String> done = operations(transaction, running, outcome == Outcome.COMMITTED);
    line(type, running.process, done);
    transactions++;
    operations += done.size();
    if (outcome == Outcome.UNKNOWN) {
      processes.put(session, nextProcess++); // a crashed process does not come back
    }
    if (outcome == Outcome.COMMITTED) {
      List<String> taken = new ArrayList<>();
      for (Version version : versions.writes(transaction)) {
        if (!ended.keeps(version.statement)) {
          appends(version, taken);
        }
      }
      if (!taken.isEmpty()) {
        added("fail", taken, taken);
      }
    }
  }

  /** The reads and appends of a transaction in order; reads only if they are known. */
  private List<String> operations(long transaction, Open running, boolean known)
      throws IOException {
    Ended ended = ends.getOrDefault(transaction, new Ended(Outcome.UNKNOWN, true, List.of()));
    TreeMap<Integer, List<String>> all = new TreeMap<>();
    if (known) {
      running.reads.forEach((statement, reads) -> all.put(statement, new ArrayList<>(reads)));
    }
    for (Version version : versions.writes(transaction)) {
      if (ended.outcome != Outcome.COMMITTED || ended.keeps(version.statement)) {
        List<String> to = all.computeIfAbsent(version.place, s -> new ArrayList<>());
        if (known) {
          readsBefore(version, to);
        }
        appends(version, to);
      }
    }
    return all.values().stream().flatMap(List::stream).toList();
  }

  /** What the statements of a version read in the version before it, and did not write. */
  private void readsBefore(Version version, List<String> to) throws IOException {
    Version before = version.previous;
    for (int group = 0; before != null && group < version.columns.size(); group++) {
      if (version.onlyReads(group) && couldBeOverwritten(before, group)) {
        to.add(read(before, group));
      }
    }
  }

  /**
   * Whether a list shows no write that is known not to have been committed. A writer whose end is
   * not known, or that was not observed, committed what another transaction overwrote.
   */
  private boolean couldBeOverwritten(Version version, int group) {
    return elements(version, group, segment(version, group)).stream().noneMatch(this::vanished);
  }

  private boolean vanished(Version version) {
    Ended ended = ends.get(version.transaction);
    return ended != null
        && (ended.outcome == Outcome.ABORTED
            || ended.outcome == Outcome.COMMITTED && !ended.keeps(version.statement));
  }

  private void appends(Version version, List<String> to) throws IOException {
    Version root = version.root();
    for (int group = 0; group < version.columns.size(); group++) {
      if (version.writes(group)) {
        int depth = version.depth(group);
        if (depth > 0 && depth % SEGMENT == 0) {
          to.add(append(new Segment(root, group, depth / SEGMENT - 1), version));
        }
        to.add(append(new Segment(root, group, depth / SEGMENT), version));
      }
    }
  }

  private String append(Segment segment, Version version) throws IOException {
    return "[:append " + key(segment) + " " + version.element + "]";
  }

  private static int segment(Version version, int group) {
    return Math.max(0, version.depth(group)) / SEGMENT;
  }

  private String read(Version version, int group) throws IOException {
    return read(version, group, segment(version, group));
  }

  private String read(Version version, int group, int segment) throws IOException {
    List<Version> elements = elements(version, group, segment);
    StringBuilder text = new StringBuilder("[:r ");
    text.append(key(new Segment(version.root(), group, segment))).append(" [");
    for (int i = elements.size() - 1; i >= 0; i--) {
      text.append(elements.get(i).element).append(i > 0 ? " " : "");
    }
    return text.append("]]").toString();
  }

  /** The versions in a list, newest first. */
  private static List<Version> elements(Version version, int group, int segment) {
    List<Version> elements = new ArrayList<>();
    Version v = version.newest(group);
    while (v != null && v.depth(group) >= segment * SEGMENT) {
      elements.add(v);
      v = v.previous == null ? null : v.previous.newest(group);
    }
    return elements;
  }

  private int key(Segment segment) throws IOException {
    Integer known = keys.get(segment);
    if (known != null) {
      return known;
    }
    int key = keys.size();
    keys.put(segment, key);
    Version root = segment.root;
    String columns = root.columns.text(segment.group);
    out.write(
        "; key "
            + key
            + " is "
            + root.row.table().replaceAll("\\p{Cntrl}", " ")
            + " row "
            + root.row.row()
            + (columns.isEmpty() ? "" : ", " + columns.replaceAll("\\p{Cntrl}", " "))
            + (segment.number > 0 ? ", later versions" : "")
            + "\n");
    return key;
  }

  /** A transaction of a process of its own. Elle rejects a completion that was not invoked. */
  private void added(String type, List<String> invoked, List<String> completed) throws IOException {
    long process = nextProcess++;
    line("invoke", process, invoked);
    line(type, process, completed);
  }

  private void line(String type, long process, List<String> mops) throws IOException {
    out.write(
        "{:type :"
            + type
            + ", :f :txn, :value ["
            + String.join(" ", mops)
            + "], :process "
            + process
            + ", :index "
            + index++
            + "}\n");
  }

  // The end: transactions of unknown writers, and the last reads.

  private void end() throws IOException {
    List<Long> writers = new ArrayList<>();
    versions.writers().forEach(writers::add);
    writers.sort(Comparator.naturalOrder());
    for (long writer : writers) {
      if (!ends.containsKey(writer)) {
        List<String> appends = new ArrayList<>();
        for (Version version : versions.writes(writer)) {
          appends(version, appends);
        }
        added("info", appends, appends);
      }
    }
    Set<Segment> read = new HashSet<>();
    for (long writer : writers) {
      for (Version version : versions.writes(writer)) {
        if (isLast(version)) {
          for (int group = 0; group < version.columns.size(); group++) {
            lastReads(version, group, read);
          }
        }
      }
    }
  }

  /** Whether a version survived and no surviving version follows it. */
  private boolean isLast(Version version) {
    if (!survived(version)) {
      return false;
    }
    List<Version> above = new ArrayList<>(version.next);
    for (int i = 0; i < above.size(); i++) {
      if (survived(above.get(i))) {
        return false;
      }
      above.addAll(above.get(i).next);
    }
    return true;
  }

  private boolean survived(Version version) {
    Ended ended = ends.get(version.transaction);
    return ended != null
        && ended.outcome == Outcome.COMMITTED
        && !ended.lossy
        && ended.keeps(version.statement);
  }

  private void lastReads(Version last, int group, Set<Segment> read) throws IOException {
    if (last.depth(group) < 0) {
      return;
    }
    int segment = segment(last, group);
    added("ok", List.of(), List.of(read(last, group, segment)));
    @Nullable Version version = last;
    while (segment > 0 && version != null) {
      while (version != null && version.depth(group) > segment * SEGMENT) {
        Version newest = version.newest(group);
        version = newest == null ? null : newest.previous;
      }
      segment--;
      if (version == null || !read.add(new Segment(version.root(), group, segment))) {
        return;
      }
      added("ok", List.of(), List.of(read(version, group, segment)));
    }
  }
}
