package io.txwatch.corpus;

import io.txwatch.corpus.Script.Step;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.Arrays;
import java.util.List;

/** The ways to execute a text through JDBC. */
public enum Way {
  /** {@code Statement.execute}. */
  PLAIN {
    @Override
    public void run(Connection connection, Step step, Outcome outcome) throws SQLException {
      try (Statement statement = connection.createStatement()) {
        outcome.results(statement, statement.execute(step.sql()));
      }
    }
  },
  /** {@code PreparedStatement.execute}, once for each binding. */
  PREPARED {
    @Override
    public void run(Connection connection, Step step, Outcome outcome) throws SQLException {
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
  KEYS {
    @Override
    public void run(Connection connection, Step step, Outcome outcome) throws SQLException {
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
    public void run(Connection connection, Step step, Outcome outcome) throws SQLException {
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
    public void run(Connection connection, Step step, Outcome outcome) throws SQLException {
      try (Statement statement =
          connection.createStatement(
              ResultSet.TYPE_SCROLL_INSENSITIVE, ResultSet.CONCUR_READ_ONLY)) {
        statement.setMaxRows(1_000_000); // more than any result has: which rows come first is open
        statement.setFetchSize(2);
        outcome.results(statement, statement.execute(step.sql()));
      }
    }
  };

  /** Executes a step and records what an application sees of it. */
  public abstract void run(Connection connection, Step step, Outcome outcome) throws SQLException;

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
