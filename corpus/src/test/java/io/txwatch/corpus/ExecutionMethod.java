package io.txwatch.corpus;

import io.txwatch.corpus.Script.Step;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.Arrays;
import java.util.List;

/** The JDBC calls by which a statement is executed. */
public enum ExecutionMethod {
  /** {@code Statement.execute}. */
  PLAIN {
    @Override
    public void execute(Connection connection, Step step, Outcome outcome) throws SQLException {
      try (Statement statement = connection.createStatement()) {
        outcome.results(statement, statement.execute(step.sql()));
      }
    }
  },
  /** {@code PreparedStatement.execute}, once for each binding. */
  PREPARED {
    @Override
    public void execute(Connection connection, Step step, Outcome outcome) throws SQLException {
      try (PreparedStatement statement = connection.prepareStatement(step.sql())) {
        if (step.bindings().isEmpty()) {
          outcome.results(statement, statement.execute());
        }
        for (List<Object> values : step.bindings()) {
          bind(statement, values);
          outcome.results(statement, statement.execute());
        }
      }
    }
  },
  /** {@code executeUpdate} with RETURN_GENERATED_KEYS. */
  GENERATED_KEYS {
    @Override
    public void execute(Connection connection, Step step, Outcome outcome) throws SQLException {
      try (PreparedStatement statement =
          connection.prepareStatement(step.sql(), Statement.RETURN_GENERATED_KEYS)) {
        if (step.bindings().isEmpty()) {
          outcome.updated(statement.executeUpdate());
          outcome.keys(statement.getGeneratedKeys());
        }
        for (List<Object> values : step.bindings()) {
          bind(statement, values);
          outcome.updated(statement.executeUpdate());
          outcome.keys(statement.getGeneratedKeys());
        }
      }
    }
  },
  /** {@code addBatch} for each binding (twice, if there are none), then {@code executeBatch}. */
  BATCH {
    @Override
    public void execute(Connection connection, Step step, Outcome outcome) throws SQLException {
      try (PreparedStatement statement = connection.prepareStatement(step.sql())) {
        if (step.bindings().isEmpty()) {
          statement.addBatch();
          statement.addBatch();
        }
        for (List<Object> values : step.bindings()) {
          bind(statement, values);
          statement.addBatch();
        }
        outcome.line("counts " + Arrays.toString(statement.executeBatch()));
      }
    }
  },
  /** A scrollable result with a row limit and a small fetch size. */
  SCROLLED {
    @Override
    public void execute(Connection connection, Step step, Outcome outcome) throws SQLException {
      try (Statement statement =
          connection.createStatement(
              ResultSet.TYPE_SCROLL_INSENSITIVE, ResultSet.CONCUR_READ_ONLY)) {
        statement.setMaxRows(1_000_000); // larger than any result, whose order may be undefined
        statement.setFetchSize(2);
        outcome.results(statement, statement.execute(step.sql()));
      }
    }
  };

  /**
   * Chooses one of the methods that suit a statement.
   *
   * @param bound true if it has parameters
   * @param turn selects the method, modulo their number
   */
  static ExecutionMethod choose(String sql, boolean bound, int turn) {
    boolean writes = StatementTraits.isQueryOrWrite(sql) && StatementTraits.mayWrite(sql);
    List<ExecutionMethod> methods;
    if (bound) {
      methods = writes ? List.of(PREPARED, BATCH, GENERATED_KEYS) : List.of(PREPARED);
    } else if (!StatementTraits.isQueryOrWrite(sql)) {
      methods = List.of(PLAIN);
    } else if (writes) {
      methods = List.of(PLAIN, PREPARED, GENERATED_KEYS, PLAIN);
    } else {
      methods = List.of(PLAIN, PREPARED, SCROLLED);
    }
    return methods.get(turn % methods.size());
  }

  /** Executes a step and records what is visible to the application. */
  public abstract void execute(Connection connection, Step step, Outcome outcome)
      throws SQLException;

  private static void bind(PreparedStatement statement, List<Object> values) throws SQLException {
    for (int i = 0; i < values.size(); i++) {
      if (values.get(i) == Literals.NULL) {
        statement.setNull(i + 1, java.sql.Types.VARCHAR);
      } else {
        statement.setObject(i + 1, values.get(i));
      }
    }
  }
}
