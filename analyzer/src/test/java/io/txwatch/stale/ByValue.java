package io.txwatch.stale;

import io.txwatch.dependency.Granularity;
import io.txwatch.dependency.KnownRow;
import io.txwatch.history.Access;
import io.txwatch.history.Event;
import io.txwatch.history.Outcome;
import io.txwatch.history.RowAccess;
import io.txwatch.history.RowChange;
import io.txwatch.history.RowValues;
import io.txwatch.history.StatedWrite;
import io.txwatch.history.ValueHash;
import io.txwatch.history.WriterList;
import io.txwatch.history.WriterToken;
import io.txwatch.version.VersionResolver;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Consumer;

/**
 * The events of a history as they are by value: in place of the versions that a statement read or
 * wrote, the values of the rows, one for each version. The rows of a blind UPDATE are not stated.
 * Each event happens 10 ns after the one before.
 */
final class ByValue {

  /** Where writes are known from. */
  enum Source {
    LOG,
    /** A log that does not name connections. */
    LOG_WITHOUT_NUMBERS,
    STATEMENTS;

    boolean isLog() {
      return this != STATEMENTS;
    }
  }

  static final ValueHash HASH = new ValueHash(7);
  private static final List<String> COLUMNS = List.of("id", "v");
  private static final long READER = 999;

  private final Source source;
  private final List<Event> events = new ArrayList<>();
  private final Map<Long, List<Event.StatementExecuted>> writing = new HashMap<>();
  private long time = 1000;

  private ByValue(Source source) {
    this.source = source;
  }

  static List<Event> events(Iterable<Event> history, Source source) {
    ByValue made = new ByValue(source);
    history.forEach(made::add);
    return made.events;
  }

  /** The letter that names a row in the history. */
  static char row(long id) {
    for (char row = 'a'; row <= 'z'; row++) {
      if (HASH.ofKey(row) == id) {
        return row;
      }
    }
    throw new IllegalArgumentException("" + id);
  }

  /** Passes what is found in events by value to {@code out}. */
  static void detect(
      List<Event> events, Across across, Granularity granularity, Consumer<StaleWrite> out) {
    StaleWrites detector = new StaleWrites(across, granularity, out);
    VersionResolver resolver =
        new VersionResolver(
            detector::accept,
            new VersionResolver.Listener() {
              @Override
              public void known(
                  long session, long transaction, int statement, List<KnownRow> rows) {
                detector.known(transaction, statement, rows);
              }

              @Override
              public void unresolved(long transaction, Set<String> tables) {
                detector.unresolved(transaction, tables);
              }
            },
            1 << 24);
    events.forEach(resolver::accept);
    resolver.flush();
  }

  private void add(Event event) {
    time += 10;
    if (event instanceof Event.SessionOpened e) {
      if (source.isLog() && events.isEmpty()) {
        events.add(new Event.SessionOpened(READER, "record", e.database()));
        events.add(new Event.ChangesRead(READER, time));
      }
      events.add(e);
      if (source == Source.LOG) {
        events.add(new Event.SessionIdentified(e.session(), 100 + e.session()));
      } else if (source == Source.STATEMENTS) {
        events.add(new Event.WritesStated(e.session()));
      }
    } else if (event instanceof Event.StatementExecuted e) {
      executed(e);
    } else if (event instanceof Event.StatementsUndone e) {
      writing
          .getOrDefault(e.transaction(), List.of())
          .removeIf(
              one -> one.statement() >= e.firstStatement() && one.statement() <= e.lastStatement());
      events.add(e);
    } else if (event instanceof Event.TransactionEnded e) {
      events.add(new Event.EndTimed(e.session(), e.transaction(), time, time + 5));
      events.add(e);
      if (source.isLog()) {
        if (e.outcome() == Outcome.COMMITTED) {
          changed(e);
        }
        events.add(new Event.ChangesRead(READER, time + 9));
      }
    } else {
      events.add(event);
    }
  }

  private void executed(Event.StatementExecuted event) {
    events.add(
        new Event.StatementExecuted(
            event.session(),
            event.transaction(),
            event.statement(),
            event.kind(),
            event.sql(),
            event.callSite(),
            List.of(),
            true,
            null,
            List.of(),
            event.columns()));
    boolean isWrite = event.kind().mayWrite();
    if (isWrite) {
      writing.computeIfAbsent(event.transaction(), id -> new ArrayList<>()).add(event);
    }
    events.add(
        new Event.ValuesObserved(
            event.session(),
            event.transaction(),
            event.statement(),
            time,
            time + 5,
            isWrite ? List.of() : List.of(values(COLUMNS, event.rows())),
            isWrite ? List.of(stated(event)) : List.of(),
            ""));
  }

  private static StatedWrite stated(Event.StatementExecuted event) {
    Access access =
        switch (event.kind()) {
          case INSERT -> Access.INSERT;
          case DELETE -> Access.DELETE;
          default -> Access.UPDATE;
        };
    return new StatedWrite(
        access,
        values(access == Access.UPDATE ? List.of("v") : COLUMNS, event.rows()),
        event.writesSeen());
  }

  private static RowValues values(List<String> columns, List<RowAccess> rows) {
    int[] values = new int[columns.size() * rows.size()];
    for (int row = 0; row < rows.size(); row++) {
      int[] image = image(rows.get(row).row(), rows.get(row).writers(), 1);
      for (int i = 0; i < columns.size(); i++) {
        values[columns.size() * row + i] = image[COLUMNS.indexOf(columns.get(i))];
      }
    }
    long[] keys = rows.stream().mapToLong(row -> HASH.ofKey(row.row())).toArray();
    return new RowValues("t", columns, keys, values);
  }

  /** A row in the version that is the n-th from the end of a list. */
  private static int[] image(long row, WriterList list, int n) {
    int end = list.tokens().length() - (n - 1) * WriterToken.LENGTH;
    String version = end <= 0 ? "" : list.tokens().substring(end - WriterToken.LENGTH, end);
    return new int[] {HASH.of(row), HASH.of(version)};
  }

  private void changed(Event.TransactionEnded end) {
    List<RowChange> changes = new ArrayList<>();
    for (Event.StatementExecuted statement : writing.getOrDefault(end.transaction(), List.of())) {
      for (RowAccess access : statement.rows()) {
        long key = HASH.ofKey(access.row());
        boolean isInsert = access.access() == Access.INSERT;
        boolean isDelete = access.access() == Access.DELETE;
        changes.add(
            new RowChange(
                access.access(),
                "t",
                COLUMNS,
                isInsert ? 0 : key,
                isDelete ? 0 : key,
                isInsert ? new int[0] : image(access.row(), access.writers(), isDelete ? 1 : 2),
                isDelete ? new int[0] : image(access.row(), access.writers(), 1),
                statement.statement()));
      }
    }
    if (!changes.isEmpty()) {
      long connection = source == Source.LOG ? 100 + end.session() : 0;
      events.add(new Event.Changed(READER, connection, "", time + 8, 0, changes));
    }
  }
}
