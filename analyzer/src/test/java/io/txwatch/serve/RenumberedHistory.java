package io.txwatch.serve;

import io.txwatch.history.Event;
import io.txwatch.history.RowAccess;
import io.txwatch.history.WriterList;
import io.txwatch.history.WriterToken;
import java.util.List;

/** The same history once more: its ids moved up, its rows its own. */
final class RenumberedHistory {

  private RenumberedHistory() {}

  static Event by(Event event, long by) {
    if (event instanceof Event.StatementExecuted e) {
      List<RowAccess> rows =
          e.rows().stream()
              .map(
                  row ->
                      new RowAccess(
                          row.access(),
                          row.table(),
                          row.row() + 1_000 * by,
                          list(row.writers(), by)))
              .toList();
      return new Event.StatementExecuted(
          e.session() + by,
          e.transaction() + by,
          e.statement(),
          e.kind(),
          e.sql(),
          e.callSite(),
          rows,
          e.writesSeen(),
          e.sqlState());
    } else if (event instanceof Event.SessionOpened e) {
      return new Event.SessionOpened(e.session() + by, e.name(), e.database());
    } else if (event instanceof Event.TransactionBegan e) {
      return new Event.TransactionBegan(
          e.session() + by, e.transaction() + by, e.level(), e.micros());
    } else if (event instanceof Event.TransactionEnded e) {
      return new Event.TransactionEnded(
          e.session() + by, e.transaction() + by, e.outcome(), e.micros(), e.events());
    }
    throw new IllegalArgumentException(event.toString());
  }

  private static WriterList list(WriterList list, long by) {
    StringBuilder tokens = new StringBuilder();
    for (int i = 0; i < list.size(); i++) {
      tokens.append(WriterToken.of(list.transaction(i) + by, list.statement(i)));
    }
    return new WriterList(tokens.toString(), list.complete());
  }
}
