package io.txwatch.bench.jmh;

import io.txwatch.bench.overhead.Databases;
import io.txwatch.bench.overhead.Variant;
import java.nio.file.Path;
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
 * Measures calls through txwatch and comparable tools, over H2 in memory: a DBMS that responds in a
 * microsecond, so that the added cost is visible.
 */
@State(Scope.Thread)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
public class WrapperBenchmark {

  private static final String URL = "jdbc:h2:mem:wrappers;DB_CLOSE_DELAY=-1;USER=sa";
  private static final int ROWS = 1_000;

  /** The layer under test. */
  @Param({
    "RAW",
    "P6SPY",
    "P6SPY_LOG",
    "DATASOURCE_PROXY",
    "DATASOURCE_PROXY_LOG",
    "OFF",
    "INLINE_NONE",
    "INLINE"
  })
  public Variant variant = Variant.RAW;

  @SuppressWarnings("NullAway.Init") // by setUp
  private Connection connection;

  private int key;

  /** Creates a table of a thousand rows, and prepares it for watched variants. */
  @Setup(Level.Trial)
  public void setUp() throws SQLException {
    try (Connection raw = DriverManager.getConnection(URL);
        Statement statement = raw.createStatement()) {
      statement.execute("DROP ALL OBJECTS");
      statement.execute("CREATE TABLE item (id INT PRIMARY KEY, name VARCHAR(30), amount INT)");
      for (int i = 0; i < ROWS; i++) {
        statement.execute("INSERT INTO item (id, name, amount) VALUES (" + i + ", 'n', 0)");
      }
    }
    if (variant.isPrepared()) {
      Databases.prepare(URL);
    }
    variant.setUp(Path.of(System.getProperty("java.io.tmpdir")));
    connection = variant.open(URL);
    connection.setAutoCommit(false);
  }

  /** Closes the connection. */
  @TearDown(Level.Trial)
  public void tearDown() throws SQLException {
    connection.close();
  }

  private int nextKey() {
    key = (key + 7) % ROWS;
    return key;
  }

  /** Prepare, execute, read one row, close, commit: a lookup of the plan, and an observation. */
  @Benchmark
  public int selectOne() throws SQLException {
    try (PreparedStatement select =
        connection.prepareStatement("SELECT id, name, amount FROM item WHERE id = ?")) {
      select.setInt(1, nextKey());
      try (ResultSet row = select.executeQuery()) {
        row.next();
        return row.getInt(1) + row.getString(2).length() + row.getInt(3);
      }
    } finally {
      connection.commit();
    }
  }

  /** Reads a thousand rows of three columns: delegation, and a record of each row. */
  @Benchmark
  public int selectThousand() throws SQLException {
    int sum = 0;
    try (PreparedStatement select =
            connection.prepareStatement("SELECT id, name, amount FROM item");
        ResultSet row = select.executeQuery()) {
      while (row.next()) {
        sum += row.getInt(1) + row.getString("name").length() + row.getInt("amount");
      }
    }
    connection.commit();
    return sum;
  }

  /** Updates one row and commits. */
  @Benchmark
  public int updateOne() throws SQLException {
    try (PreparedStatement update =
        connection.prepareStatement("UPDATE item SET amount = amount + 1 WHERE id = ?")) {
      update.setInt(1, nextKey());
      return update.executeUpdate();
    } finally {
      connection.commit();
    }
  }
}
