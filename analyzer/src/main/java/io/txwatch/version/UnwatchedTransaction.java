package io.txwatch.version;

import io.txwatch.history.Access;
import io.txwatch.history.AccessedColumns;
import io.txwatch.history.Database;
import io.txwatch.history.Event;
import io.txwatch.history.IsolationLevel;
import io.txwatch.history.Outcome;
import io.txwatch.history.RowAccess;
import io.txwatch.history.RowChange;
import io.txwatch.history.StatementKind;
import io.txwatch.history.ValueHash;
import io.txwatch.history.WriterToken;
import java.time.Instant;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/**
 * A transaction that txwatch does not watch, as events: a session of its own, a transaction at an
 * unknown level, and a statement for each group of changes.
 *
 * <p>A column counts as written if the record shows that its value changed. If a statement changed
 * only columns that are not compared, it is not known which, and there are no events.
 */
final class UnwatchedTransaction {

  private static final int MAX_STATEMENTS = 1 << 8;
  private static final int MAX_ROWS = 1 << 8;

  private static final DateTimeFormatter TIME =
      DateTimeFormatter.ofPattern("HH:mm:ss", Locale.ROOT).withZone(ZoneOffset.UTC);

  private UnwatchedTransaction() {}

  /**
   * The events; empty if it is not known exactly enough what it wrote.
   *
   * @param touched the rows that the transaction used for which it matters; of others only some
   */
  static List<Event> events(
      RecordedTransaction recorded, Database database, long session, Set<RowChain> touched) {
    Map<Integer, List<RowChange>> groups = new TreeMap<>();
    for (RowChange change : recorded.changes) {
      if (change.keyBefore() != 0 || change.keyAfter() != 0) {
        groups.computeIfAbsent(recorded.statement(change), n -> new ArrayList<>()).add(change);
      }
    }
    if (groups.isEmpty()
        || groups.size() > MAX_STATEMENTS
        || groups.keySet().stream().anyMatch(n -> n >= WriterToken.MAX_STATEMENT)) {
      return List.of();
    }
    Map<Integer, List<RowAccess>> rows = rows(recorded, touched);
    long id = recorded.unwatchedId;
    List<Event> events = new ArrayList<>();
    events.add(new Event.SessionOpened(session, name(recorded), database));
    events.add(new Event.TransactionBegan(session, id, IsolationLevel.UNKNOWN, recorded.micros));
    for (Map.Entry<Integer, List<RowChange>> group : groups.entrySet()) {
      String columns = columns(group.getValue());
      if (columns == null) {
        return List.of();
      }
      StatementKind kind = kind(group.getValue());
      events.add(
          new Event.StatementExecuted(
              session,
              id,
              group.getKey(),
              kind,
              kind + " " + group.getValue().get(0).table() + " (not watched)",
              "",
              rows.getOrDefault(group.getKey(), List.of()),
              true,
              null,
              List.of(),
              columns));
    }
    events.add(
        new Event.TransactionEnded(
            session, id, Outcome.COMMITTED, recorded.micros, 1 + groups.size()));
    events.add(new Event.SessionClosed(session));
    return events;
  }

  /** What reports call its session; with the time, since its transaction has no line of code. */
  private static String name(RecordedTransaction recorded) {
    String connection = recorded.connection == 0 ? "" : " (connection " + recorded.connection + ")";
    String time =
        recorded.micros == 0
            ? ""
            : ", at "
                + TIME.format(Instant.EPOCH.plus(recorded.micros, ChronoUnit.MICROS))
                + " UTC";
    return "a session that is not watched" + connection + time;
  }

  private static Map<Integer, List<RowAccess>> rows(
      RecordedTransaction recorded, Set<RowChain> touched) {
    Map<Integer, List<RowAccess>> rows = new HashMap<>();
    int others = 0;
    for (RowVersion version : recorded.versions) {
      boolean isTouched = touched.contains(version.row);
      if ((isTouched || others < MAX_ROWS) && isDecidedUpTo(version)) {
        RowAccess access = ReadResolver.written(version);
        if (access != null) {
          rows.computeIfAbsent(recorded.statement(version), n -> new ArrayList<>()).add(access);
          others += isTouched ? 0 : 1;
        }
      }
    }
    return rows;
  }

  /** Whether the list of its writers can be given: it never changes afterwards. */
  private static boolean isDecidedUpTo(RowVersion version) {
    for (RowVersion before : version.row.versions) {
      if (!before.isDecided()) {
        return false;
      }
      if (before == version) {
        return true;
      }
    }
    return false;
  }

  private static StatementKind kind(List<RowChange> changes) {
    boolean updates = changes.stream().anyMatch(change -> change.access() == Access.UPDATE);
    return updates
        ? StatementKind.UPDATE
        : changes.get(0).access() == Access.INSERT ? StatementKind.INSERT : StatementKind.DELETE;
  }

  /** The columns that a group of changes wrote; null if that is not known. */
  private static @Nullable String columns(List<RowChange> changes) {
    Map<String, Set<String>> updated = new TreeMap<>();
    Set<String> others = new HashSet<>();
    for (RowChange change : changes) {
      if (change.access() == Access.UPDATE && change.keyBefore() == change.keyAfter()) {
        addChanged(change, updated.computeIfAbsent(change.table(), t -> new TreeSet<>()));
      } else {
        others.add(change.table());
      }
    }
    List<AccessedColumns.OfTable> tables = new ArrayList<>();
    for (Map.Entry<String, Set<String>> table : updated.entrySet()) {
      if (table.getValue().isEmpty() || others.contains(table.getKey())) {
        return null;
      }
      tables.add(
          new AccessedColumns.OfTable(
              table.getKey(),
              AccessedColumns.Columns.NONE,
              AccessedColumns.Columns.NONE,
              AccessedColumns.Columns.of(table.getValue())));
    }
    return new AccessedColumns(tables).text();
  }

  private static void addChanged(RowChange change, Set<String> to) {
    int size = Math.min(change.before().length, change.after().length);
    for (int i = 0; i < size; i++) {
      int before = change.before()[i];
      int after = change.after()[i];
      if (before != ValueHash.UNKNOWN && after != ValueHash.UNKNOWN && before != after) {
        to.add(change.columns().get(i).toLowerCase(Locale.ROOT));
      }
    }
  }
}
