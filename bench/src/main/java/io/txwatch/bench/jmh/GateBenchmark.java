package io.txwatch.bench.jmh;

import io.txwatch.jdbc.gate.Gate;
import io.txwatch.jdbc.gate.Gates;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.concurrent.TimeUnit;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Level;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.TearDown;

/**
 * Measures statements on a watched connection with and without a gate, over H2 in memory. The gate
 * lets every call pass, as it does those of threads that take no part in an order.
 */
@State(Scope.Thread)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
public class GateBenchmark {

  private static final String DATABASE = "h2:mem:gate;DB_CLOSE_DELAY=-1;USER=sa";
  private static final int ROWS = 1_000;

  /** What calls pass through. */
  public enum Passage {
    /** A connection that is not watched. */
    RAW,
    /** A watched connection, without a gate. */
    WATCHED,
    /** A watched connection, with a gate that lets every call pass. */
    GATED
  }

  /** The passage under test. */
  @Param public Passage passage = Passage.RAW;

  private final Gate gate = call -> {};

  @SuppressWarnings("NullAway.Init") // by setUp
  private Connection connection;

  private int key;

  /** Creates a table of a thousand rows. */
  @Setup(Level.Trial)
  public void setUp() throws SQLException {
    try (Connection raw = DriverManager.getConnection("jdbc:" + DATABASE);
        Statement statement = raw.createStatement()) {
      statement.execute("DROP ALL OBJECTS");
      statement.execute("CREATE TABLE item (id INT PRIMARY KEY, amount INT)");
      for (int i = 0; i < ROWS; i++) {
        statement.execute("INSERT INTO item VALUES (" + i + ", 0)");
      }
    }
    String watched =
        "jdbc:txwatch:"
            + DATABASE
            + ";txwatch.versions=statements;txwatch.analyzer=none;txwatch.log=none";
    connection = DriverManager.getConnection(passage == Passage.RAW ? "jdbc:" + DATABASE : watched);
    connection.setAutoCommit(false);
    if (passage == Passage.GATED) {
      Gates.install(gate);
    }
  }

  /** Closes the connection, and removes the gate. */
  @TearDown(Level.Trial)
  public void tearDown() throws SQLException {
    Gates.remove(gate);
    connection.close();
  }

  private int nextKey() {
    key = (key + 7) % ROWS;
    return key;
  }

  /** Reads one row and commits. */
  @Benchmark
  public int select() throws SQLException {
    try (PreparedStatement select =
        connection.prepareStatement("SELECT amount FROM item WHERE id = ?")) {
      select.setInt(1, nextKey());
      try (ResultSet row = select.executeQuery()) {
        row.next();
        return row.getInt(1);
      }
    } finally {
      connection.commit();
    }
  }

  /** Updates one row and commits. */
  @Benchmark
  public int update() throws SQLException {
    try (PreparedStatement update =
        connection.prepareStatement("UPDATE item SET amount = amount + 1 WHERE id = ?")) {
      update.setInt(1, nextKey());
      return update.executeUpdate();
    } finally {
      connection.commit();
    }
  }
}
