package io.txwatch.proof;

import io.txwatch.history.Event;
import io.txwatch.history.Outcome;
import io.txwatch.history.RecordedValue;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * What the transactions of a history have written, definitions of tables included, so that it can
 * be written again to an empty database. Not thread-safe.
 */
public final class RecordedWrites {

  /** The most statements that are kept. */
  private static final int MAX_STATEMENTS = 100_000;

  private record Write(String sql, List<RecordedValue> parameters) {}

  private final Map<Long, Set<Integer>> writing = new HashMap<>();
  private final Map<Long, List<Write>> active = new HashMap<>();
  private final List<Write> committed = new ArrayList<>();
  private boolean isTooLong;
  private boolean isIncomplete;

  /** The next event of the history. */
  public void accept(Event event) {
    if (event instanceof Event.StatementExecuted executed) {
      if (executed.succeeded() && executed.kind().mayWrite()) {
        writing
            .computeIfAbsent(executed.transaction(), id -> new HashSet<>())
            .add(executed.statement());
      }
    } else if (event instanceof Event.ValuesRecorded values) {
      Set<Integer> unknown = writing.get(values.transaction());
      if (unknown != null && unknown.remove(values.statement())) {
        active
            .computeIfAbsent(values.transaction(), id -> new ArrayList<>())
            .add(new Write(values.sql(), values.parameters()));
      }
    } else if (event instanceof Event.TransactionEnded ended) {
      Set<Integer> unknown = writing.remove(ended.transaction());
      isIncomplete |= ended.outcome() == Outcome.COMMITTED && unknown != null && !unknown.isEmpty();
      List<Write> writes = active.remove(ended.transaction());
      if (writes != null && ended.outcome() == Outcome.COMMITTED) {
        isTooLong |= committed.size() + writes.size() > MAX_STATEMENTS;
        if (!isTooLong) {
          committed.addAll(writes);
        }
      }
    }
  }

  /**
   * Writes it again.
   *
   * @param empty a connection to an empty database, in autocommit mode
   * @throws SQLException if a statement fails there, or there are too many
   */
  public void repeat(Connection empty) throws SQLException {
    if (isTooLong) {
      throw new SQLException("the history has more than " + MAX_STATEMENTS + " writes", "0A000");
    }
    if (isIncomplete) {
      throw new SQLException("the values of some writes were not recorded", "0A000");
    }
    for (Write write : committed) {
      try (PreparedStatement statement = empty.prepareStatement(write.sql)) {
        for (int i = 0; i < write.parameters.size(); i++) {
          statement.setObject(i + 1, write.parameters.get(i).toObject());
        }
        statement.execute();
      } catch (SQLException e) {
        throw new SQLException("'" + write.sql + "': " + e.getMessage(), e.getSQLState(), e);
      }
    }
  }
}
