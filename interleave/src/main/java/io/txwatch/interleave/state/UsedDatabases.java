package io.txwatch.interleave.state;

import io.txwatch.history.Product;
import io.txwatch.interleave.product.InterleavedProduct;
import io.txwatch.interleave.product.registry.InterleavedProducts;
import io.txwatch.interleave.run.GatedProgram.CallExtent;
import io.txwatch.interleave.run.ResetKeys;
import io.txwatch.interleave.run.TableConstraints;
import io.txwatch.interleave.wait.WaitMonitor;
import io.txwatch.jdbc.gate.GatedCall;
import io.txwatch.jdbc.gate.GatedConnection;
import java.sql.SQLException;
import java.util.BitSet;
import java.util.Comparator;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.Function;

/**
 * The databases that operations use, with two connections of our own to each: one for the tables
 * that are touched, one that reads who is blocked. For one thread.
 */
public final class UsedDatabases implements AutoCloseable {

  private final TestDatabases accepted;
  private final int maxRows;
  private final Map<String, UsedDatabase> databases = new LinkedHashMap<>();

  private record UsedDatabase(TouchedTables tables, WaitMonitor waits) {}

  /**
   * None yet.
   *
   * @param accepted those whose rows may be changed
   * @param maxRows the most rows of a table that is restored
   */
  public UsedDatabases(TestDatabases accepted, int maxRows) {
    this.accepted = accepted;
    this.maxRows = maxRows;
  }

  /** True if no call has reached one. */
  public boolean isEmpty() {
    return databases.isEmpty();
  }

  /**
   * A call is about to be made: keeps the rows of tables that it is the first to touch.
   *
   * @throws RefusedDatabaseException if its database does not look like one for tests
   * @throws UnreachableException if it cannot be read
   */
  public void touch(GatedCall call) {
    GatedConnection connection = call.connection();
    UsedDatabase database =
        databases.computeIfAbsent(connection.database().place(), place -> open(place, connection));
    try {
      for (GatedCall.Statement statement : call.statements()) {
        database.tables().touch(statement);
      }
    } catch (SQLException e) {
      throw new UnreachableException("a table that is touched cannot be read: " + e.getMessage());
    }
  }

  private UsedDatabase open(String place, GatedConnection connection) {
    accepted.demand(place);
    Product product = connection.database().product();
    InterleavedProduct room =
        InterleavedProducts.find(product)
            .orElseThrow(
                () ->
                    new UnreachableException(
                        "operations are not interleaved on " + product.displayName()));
    if (connection.number() == GatedConnection.UNKNOWN_NUMBER) {
      throw new UnreachableException(
          "the driver does not state the number of its connections to "
              + product.displayName()
              + ", without which those that wait for a lock are not recognized");
    }
    try {
      WaitMonitor waits = room.monitor(connection.openAnother());
      waits.expectTableLocks(true);
      return new UsedDatabase(new TouchedTables(connection.openAnother(), room, maxRows), waits);
    } catch (SQLException e) {
      throw new UnreachableException(
          "two further connections to the database are needed: " + e.getMessage());
    }
  }

  /** What a call that was passed to {@link #touch} reads, writes and locks. */
  public CallExtent extent(GatedCall call) {
    UsedDatabase database = databases.get(call.connection().database().place());
    if (database == null || call.statements().isEmpty()) {
      return CallExtent.ITS_TABLES;
    }
    return call.statements().stream()
        .map(database.tables()::extent)
        .max(Comparator.naturalOrder())
        .orElse(CallExtent.ITS_TABLES);
  }

  /** The constraints of a table that was touched, by its name as in {@link #touch}. */
  public TableConstraints constraints(GatedConnection connection, String table) {
    UsedDatabase database = databases.get(connection.database().place());
    return database == null ? TableConstraints.NONE : database.tables().constraints(table);
  }

  /** The numbers of the connections that wait for a lock. */
  public Set<Long> blocked() {
    Set<Long> all = new HashSet<>();
    try {
      for (UsedDatabase database : databases.values()) {
        all.addAll(database.waits().waitGraph().keySet());
      }
    } catch (SQLException e) {
      throw new UnreachableException("lock waits cannot be read: " + e.getMessage());
    }
    return all;
  }

  /** Restores the rows that the touched tables had first. */
  public void restore() {
    try {
      for (UsedDatabase database : databases.values()) {
        database.tables().restore();
      }
    } catch (SQLException e) {
      throw new UnreachableException(
          "the tables cannot be restored ("
              + e.getMessage()
              + "): give a reset of your own, unless an operation has left a transaction open");
    }
  }

  /** A reset of the caller's has ended: keys that it has generated are no known ones. */
  public void afterReset() {
    try {
      for (UsedDatabase database : databases.values()) {
        database.tables().afterReset();
      }
    } catch (SQLException e) {
      throw new UnreachableException("the tables cannot be read: " + e.getMessage());
    }
  }

  /** Which columns of the touched tables hold keys, and which keys are known. */
  public RowIdentities identities() {
    RowIdentities all = RowIdentities.NONE;
    for (Map.Entry<String, UsedDatabase> entry : databases.entrySet()) {
      all = all.with(entry.getKey() + " ", entry.getValue().tables().identities());
    }
    return all;
  }

  /** The keys that stand in the touched tables after the last reset. */
  public ResetKeys resetKeys() {
    Map<String, Set<String>> all = new TreeMap<>();
    databases.forEach(
        (place, database) ->
            database
                .tables()
                .keysAfterReset()
                .forEach((domain, values) -> all.put(place + " " + domain, values)));
    return new ResetKeys(all, identities().known());
  }

  /** The rows of the touched tables. */
  public TouchedRows rows() {
    return rows(TouchedTables::rows);
  }

  /** The rows that the touched tables had first. */
  public TouchedRows firstRows() {
    return rows(TouchedTables::firstRows);
  }

  private interface Rows {
    TouchedRows of(TouchedTables tables) throws SQLException;
  }

  private TouchedRows rows(Rows read) {
    Map<String, List<List<String>>> all = new TreeMap<>();
    RowIdentities identities = RowIdentities.NONE;
    try {
      for (Map.Entry<String, UsedDatabase> entry : databases.entrySet()) {
        String prefix = entry.getKey() + " ";
        TouchedRows rows = read.of(entry.getValue().tables());
        rows.byTable().forEach((table, one) -> all.put(prefix + table, one));
        identities = identities.with(prefix, rows.identities());
      }
    } catch (SQLException e) {
      throw new UnreachableException("the tables cannot be read: " + e.getMessage());
    }
    return new TouchedRows(all, identities);
  }

  /** The columns whose values the DBMS makes up, by table, as in {@link #rows}. */
  public Map<String, BitSet> generated() {
    return columns(TouchedTables::generated);
  }

  /** The columns of dates and times, by table, as in {@link #rows}. */
  public Map<String, BitSet> dates() {
    return columns(TouchedTables::dates);
  }

  private Map<String, BitSet> columns(Function<TouchedTables, Map<String, BitSet>> read) {
    Map<String, BitSet> all = new TreeMap<>();
    databases.forEach(
        (place, database) ->
            read.apply(database.tables())
                .forEach((table, columns) -> all.put(place + " " + table, columns)));
    return all;
  }

  @Override
  public void close() {
    for (UsedDatabase database : databases.values()) {
      try {
        database.tables().close();
        database.waits().close();
      } catch (SQLException e) {
        // Closing is all that was left to do.
      }
    }
  }
}
