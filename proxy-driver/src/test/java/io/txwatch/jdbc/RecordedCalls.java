package io.txwatch.jdbc;

import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.sql.CallableStatement;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Set;

/** A driver's connection that records what is asked of it and of its statements, in order. */
final class RecordedCalls {

  /** What drivers answer without asking the DBMS, and what sends nothing by itself. */
  private static final Set<String> SILENT =
      Set.of(
          "getAutoCommit",
          "isClosed",
          "getMetaData",
          "unwrap",
          "isWrapperFor",
          "close",
          "equals",
          "hashCode",
          "toString",
          "getUpdateCount",
          "clearBatch",
          "isCloseOnCompletion");

  private final List<String> calls = new ArrayList<>();

  List<String> calls() {
    return calls;
  }

  Connection around(Connection connection) {
    return proxy(Connection.class, connection);
  }

  private <T> T proxy(Class<T> type, T target) {
    return type.cast(
        Proxy.newProxyInstance(
            type.getClassLoader(),
            new Class<?>[] {type},
            (proxy, method, arguments) -> invoke(target, method, arguments)));
  }

  private Object invoke(Object target, Method method, Object[] arguments) throws Throwable {
    if (!SILENT.contains(method.getName()) && !method.getName().startsWith("set")
        || method.getName().equals("setAutoCommit")) {
      calls.add(method.getName() + (arguments == null ? "" : Arrays.toString(arguments)));
    }
    Object result;
    try {
      result = method.invoke(target, arguments);
    } catch (InvocationTargetException e) {
      throw e.getCause();
    }
    if (result instanceof CallableStatement call) {
      return proxy(CallableStatement.class, call);
    } else if (result instanceof PreparedStatement prepared) {
      return proxy(PreparedStatement.class, prepared);
    }
    return result instanceof Statement statement ? proxy(Statement.class, statement) : result;
  }
}
