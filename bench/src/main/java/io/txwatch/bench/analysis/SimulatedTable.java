package io.txwatch.bench.analysis;

import io.txwatch.history.Access;
import io.txwatch.history.Event;
import io.txwatch.history.RowAccess;
import io.txwatch.history.StatementKind;
import io.txwatch.history.WriterList;
import java.util.List;

/**
 * A table of a simulation: the events of statements that read or update one of its rows.
 *
 * @param name its name
 * @param select the query of a row
 * @param update the update of a row
 * @param callSites the source lines of the query and of the update
 */
record SimulatedTable(String name, String select, String update, List<String> callSites) {

  /**
   * Identifies a statement.
   *
   * @param session its session
   * @param transaction its transaction
   * @param number its number in the transaction, from 1
   */
  record StatementId(long session, long transaction, int number) {}

  /** A query that reads a row with this list of writers. */
  Event.StatementExecuted read(StatementId id, int row, String writers) {
    return executed(
        id, StatementKind.SELECT, select, callSites.get(0), access(Access.READ, row, writers));
  }

  /** An update that leaves a row with this list of writers. */
  Event.StatementExecuted updated(StatementId id, int row, String writers) {
    return executed(
        id, StatementKind.UPDATE, update, callSites.get(1), access(Access.UPDATE, row, writers));
  }

  private RowAccess access(Access access, int row, String writers) {
    return new RowAccess(access, name, row + 1, WriterList.ofColumn(writers));
  }

  private static Event.StatementExecuted executed(
      StatementId id, StatementKind kind, String sql, String callSite, RowAccess access) {
    return new Event.StatementExecuted(
        id.session(),
        id.transaction(),
        id.number(),
        kind,
        sql,
        callSite,
        List.of(access),
        true,
        null);
  }
}
