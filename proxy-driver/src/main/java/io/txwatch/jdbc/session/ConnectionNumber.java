package io.txwatch.jdbc.session;

import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.MethodType;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The number that the DBMS gave to a connection ({@code CONNECTION_ID()}, {@code
 * pg_backend_pid()}), without asking it: MySQL, MariaDB and PostgreSQL state it when a connection
 * is opened, and their drivers keep it. H2 in this process has it in the session ({@code
 * SESSION_ID()}).
 */
public final class ConnectionNumber {

  /** A number that is not known. */
  public static final long UNKNOWN = 0;

  private static final String THREAD = "getThreadId";

  /** The calls that lead from a driver's connection to its number; empty if there are none. */
  private static final ClassValue<List<MethodHandle>> CALLS =
      new ClassValue<>() {
        @Override
        protected List<MethodHandle> computeValue(Class<?> type) {
          return calls(type);
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

  private static List<MethodHandle> calls(Class<?> type) {
    List<MethodHandle> found = calls(type, "com.mysql.cj.MysqlConnection", "getSession", THREAD);
    if (found.isEmpty()) {
      found = calls(type, "org.mariadb.jdbc.Connection", "", THREAD);
    }
    if (found.isEmpty()) {
      found = calls(type, "org.postgresql.PGConnection", "", "getBackendPID");
    }
    return found.isEmpty() ? ofH2(type) : found;
  }

  private static List<MethodHandle> ofH2(Class<?> type) {
    try {
      Class<?> connection = superType(type, "org.h2.jdbc.JdbcConnection");
      if (connection == null) {
        return List.of();
      }
      MethodHandles.Lookup lookup = MethodHandles.publicLookup();
      Class<?> session = Class.forName("org.h2.engine.SessionLocal", false, type.getClassLoader());
      return List.of(
          generic(lookup.unreflect(connection.getMethod("getSession"))),
          generic(lookup.unreflect(session.getMethod("getId"))));
    } catch (ReflectiveOperationException | RuntimeException | LinkageError e) {
      return List.of();
    }
  }

  /**
   * The calls by a type of a driver's.
   *
   * @param first the method that leads to the object that has the number; empty if the connection
   *     has it
   * @param last the method that returns the number
   */
  private static List<MethodHandle> calls(
      Class<?> type, String declaredIn, String first, String last) {
    List<MethodHandle> calls = new ArrayList<>();
    try {
      Class<?> owner = superType(type, declaredIn);
      if (owner == null) {
        return List.of();
      }
      MethodHandles.Lookup lookup = MethodHandles.publicLookup();
      if (!first.isEmpty()) {
        MethodHandle call = lookup.unreflect(owner.getMethod(first));
        calls.add(generic(call));
        owner = call.type().returnType();
      }
      calls.add(generic(lookup.unreflect(owner.getMethod(last))));
      return List.copyOf(calls);
    } catch (ReflectiveOperationException | RuntimeException | LinkageError e) {
      return List.of();
    }
  }

  private static MethodHandle generic(MethodHandle call) {
    return call.asType(MethodType.methodType(Object.class, Object.class));
  }

  /** The type of that name that a type is or extends; null if there is none. */
  private static @Nullable Class<?> superType(@Nullable Class<?> type, String name) {
    if (type == null) {
      return null;
    }
    if (type.getName().equals(name)) {
      return type;
    }
    for (Class<?> implemented : type.getInterfaces()) {
      Class<?> found = superType(implemented, name);
      if (found != null) {
        return found;
      }
    }
    return superType(type.getSuperclass(), name);
  }
}
