package io.txwatch.dependency;

import io.txwatch.history.Access;
import io.txwatch.history.Event;
import io.txwatch.history.Event.StatementExecuted;
import io.txwatch.history.RowAccess;
import io.txwatch.history.WriterList;
import io.txwatch.history.WriterToken;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * The same history as a DBMS records it that names the writer of each version by an id of its own,
 * as PostgreSQL does: each transaction has an id, each part of it that is rolled back to a
 * savepoint has another, and a write returns the ids of the version that it replaced and of its
 * own.
 */
public final class IdsByDbms {

  private static final long LOADER = 1L << 50;

  private final Map<Long, List<int[]>> undone = new HashMap<>();

  private IdsByDbms(List<Event> history) {
    for (Event event : history) {
      if (event instanceof Event.StatementsUndone e) {
        undone
            .computeIfAbsent(e.transaction(), t -> new ArrayList<>())
            .add(new int[] {e.firstStatement(), e.lastStatement()});
      }
    }
  }

  public static List<Event> of(List<Event> history) {
    IdsByDbms ids = new IdsByDbms(history);
    return history.stream().map(ids::event).toList();
  }

  private Event event(Event event) {
    if (!(event instanceof StatementExecuted e)) {
      return event;
    }
    return new StatementExecuted(
        e.session(),
        e.transaction(),
        e.statement(),
        e.kind(),
        e.sql(),
        e.callSite(),
        e.rows().stream().map(this::row).toList(),
        e.writesSeen(),
        e.sqlState(),
        e.versionSets(),
        e.columns());
  }

  private RowAccess row(RowAccess row) {
    WriterList list = row.writers();
    int last = list.size() - 1;
    String tokens = token(list, last);
    if (row.access() == Access.UPDATE) {
      tokens = token(list, last - 1) + tokens;
    }
    return new RowAccess(row.access(), row.table(), row.row(), new WriterList(tokens, false));
  }

  private String token(WriterList list, int i) {
    return WriterToken.of(
        i < 0 ? LOADER : id(list.transaction(i), list.statement(i)), WriterToken.BY_DBMS);
  }

  /** The transaction's id, or that of the part with this statement that was undone first. */
  private long id(long transaction, int statement) {
    int part = 0;
    for (int[] range : undone.getOrDefault(transaction, List.of())) {
      part++;
      if (statement >= range[0] && statement <= range[1]) {
        return 1L << 60 | transaction << 16 | part;
      }
    }
    return 1L << 60 | transaction << 16;
  }
}
