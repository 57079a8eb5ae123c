package io.txwatch.jdbc.session;

import io.txwatch.jdbc.gate.GatedConnection;
import io.txwatch.product.registry.Products;
import java.lang.invoke.MethodHandle;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.List;

/**
 * The number that the DBMS gave to a connection ({@code CONNECTION_ID()}, {@code
 * pg_backend_pid()}), without asking it: {@link io.txwatch.dialect.DriverTraits#connectionNumber}.
 */
public final class ConnectionNumber {

  /** A number that is not known. */
  public static final long UNKNOWN = GatedConnection.UNKNOWN_NUMBER;

  /** The calls that lead from a driver's connection to its number; empty if there are none. */
  private static final ClassValue<List<MethodHandle>> CALLS =
      new ClassValue<>() {
        @Override
        protected List<MethodHandle> computeValue(Class<?> type) {
          return Products.numberCalls(type);
        }
      };

  private ConnectionNumber() {}

  /** The number of a connection that is open; {@link #UNKNOWN} if its driver does not state it. */
  public static long of(Connection connection) {
    long own = direct(connection);
    if (own != UNKNOWN) {
      return own;
    }
    try {
      Connection behind = connection.unwrap(Connection.class); // a pool's handle
      return behind == null || behind == connection ? UNKNOWN : direct(behind);
    } catch (SQLException | RuntimeException | LinkageError e) {
      return UNKNOWN;
    }
  }

  private static long direct(Connection connection) {
    List<MethodHandle> calls = CALLS.get(connection.getClass());
    if (calls.isEmpty()) {
      return UNKNOWN;
    }
    try {
      Object at = connection;
      for (MethodHandle call : calls) {
        at = call.invoke(at);
      }
      return at instanceof Number number ? number.longValue() : UNKNOWN;
    } catch (Throwable e) { // of a handle: another version of the driver
      if (e instanceof VirtualMachineError error) {
        throw error;
      }
      return UNKNOWN;
    }
  }
}
