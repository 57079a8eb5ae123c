package io.txwatch.cli;

import io.txwatch.history.Access;
import io.txwatch.history.Database;
import io.txwatch.history.Event;
import io.txwatch.history.HistoryWriter;
import io.txwatch.history.IsolationLevel;
import io.txwatch.history.Outcome;
import io.txwatch.history.Product;
import io.txwatch.history.RowAccess;
import io.txwatch.history.StatementKind;
import io.txwatch.history.WriterList;
import io.txwatch.history.WriterToken;
import java.util.List;
import java.util.Map;

/** Records lost updates: two transactions read a row of a table, then both write it. */
final class RecordedRaces {

  private static final Database POSTGRESQL =
      new Database(new Product("PostgreSQL", "18.6"), Map.of());
  private static final long NODE = 1L << 32;

  private final HistoryWriter out;
  private long transactions;

  RecordedRaces(HistoryWriter out) {
    this.out = out;
    out.accept(new Event.SessionOpened(1, "pool-1", POSTGRESQL));
    out.accept(new Event.SessionOpened(2, "pool-2", POSTGRESQL));
  }

  /** A lost update by a method of package {@code shop}, which begins at a line. */
  void lostUpdate(String table, String columns, String method, int line) {
    long first = NODE + ++transactions;
    long second = NODE + ++transactions;
    String byFirst = WriterToken.of(first, 2);
    String byBoth = byFirst + WriterToken.of(second, 2);
    String type = method.substring(0, method.indexOf('.'));
    String site = "shop." + method + " (" + type + ".java:%d)";
    String read = "SELECT " + columns + " FROM " + table + " WHERE id = ?";
    String write = "UPDATE " + table + " SET " + columns.split(",")[0] + " = ? WHERE id = ?";
    for (int session = 1; session <= 2; session++) {
      long transaction = session == 1 ? first : second;
      out.accept(
          new Event.TransactionBegan(session, transaction, IsolationLevel.READ_COMMITTED, 0));
      out.accept(
          statement(
              session,
              transaction,
              1,
              StatementKind.SELECT,
              read,
              site.formatted(line),
              new RowAccess(Access.READ, table, first, WriterList.INITIAL)));
    }
    for (int session = 1; session <= 2; session++) {
      long transaction = session == 1 ? first : second;
      out.accept(
          statement(
              session,
              transaction,
              2,
              StatementKind.UPDATE,
              write,
              site.formatted(line + 3),
              new RowAccess(
                  Access.UPDATE,
                  table,
                  first,
                  WriterList.ofColumn(session == 1 ? byFirst : byBoth))));
      out.accept(new Event.TransactionEnded(session, transaction, Outcome.COMMITTED, 0, 3));
    }
  }

  private static Event statement(
      long session,
      long transaction,
      int number,
      StatementKind kind,
      String sql,
      String callSite,
      RowAccess row) {
    return new Event.StatementExecuted(
        session, transaction, number, kind, sql, callSite, List.of(row), true, null);
  }
}
