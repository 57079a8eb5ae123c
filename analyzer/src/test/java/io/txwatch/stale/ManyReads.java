package io.txwatch.stale;

import io.txwatch.history.Access;
import io.txwatch.history.Database;
import io.txwatch.history.Event;
import io.txwatch.history.IsolationLevel;
import io.txwatch.history.Outcome;
import io.txwatch.history.Product;
import io.txwatch.history.RowAccess;
import io.txwatch.history.StatementKind;
import io.txwatch.history.WriterList;
import java.util.List;
import java.util.Map;

/** Transactions that read one row each. */
final class ManyReads {

  private static final Database DATABASE = new Database(new Product("H2", "2"), Map.of());

  private ManyReads() {}

  static List<Event> of(long session, long transaction, long row) {
    return List.of(
        new Event.SessionOpened(session + 1, "s" + session, DATABASE),
        new Event.TransactionBegan(session + 1, transaction, IsolationLevel.READ_COMMITTED, 0),
        new Event.StatementExecuted(
            session + 1,
            transaction,
            1,
            StatementKind.SELECT,
            "SELECT a FROM t",
            "",
            List.of(new RowAccess(Access.READ, "t", row, WriterList.INITIAL)),
            true,
            null,
            List.of(),
            "t read=a"),
        new Event.TransactionEnded(session + 1, transaction, Outcome.COMMITTED, 0));
  }
}
