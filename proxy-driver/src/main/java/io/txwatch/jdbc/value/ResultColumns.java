package io.txwatch.jdbc.value;

import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.MethodType;
import java.sql.ResultSet;
import java.sql.ResultSetMetaData;
import java.sql.SQLException;
import java.sql.Types;
import org.jspecify.annotations.Nullable;

/**
 * The columns of a result, as far as the driver has them: nothing is sent to the DBMS. The metadata
 * that pgjdbc and H2 give of a result is partly queried on the application's connection (whether a
 * column is one of serial numbers, the name of the database), so of these the driver's own objects
 * are read.
 */
abstract class ResultColumns {

  /** The number of columns. */
  abstract int count() throws SQLException;

  /**
   * The type of a column, one of {@link Types}.
   *
   * @param index from 1
   */
  abstract int type(int index) throws SQLException;

  /** The label of a column, from 1. */
  abstract String label(int index) throws SQLException;

  /** The name that the DBMS has for that type. */
  abstract @Nullable String typeName(int index) throws SQLException;

  /** The length that texts and binary values have at most. */
  abstract int precision(int index) throws SQLException;

  /**
   * The columns of a result.
   *
   * @param driverAsks true if the driver may ask the DBMS for a result's metadata
   * @return null if they cannot be known without that
   */
  static @Nullable ResultColumns of(ResultSet result, boolean driverAsks) throws SQLException {
    if (!driverAsks) {
      return described(result.getMetaData());
    }
    ResultColumns own = DRIVERS.get(result.getClass()).of(result);
    if (own != null) {
      return own;
    }
    ResultSet behind = result.unwrap(ResultSet.class); // a pool's
    return behind == null || behind == result ? null : DRIVERS.get(behind.getClass()).of(behind);
  }

  /** The columns that metadata describes. */
  static ResultColumns described(ResultSetMetaData metaData) {
    return new Described(metaData);
  }

  private static class Described extends ResultColumns {

    private final ResultSetMetaData metaData;

    Described(ResultSetMetaData metaData) {
      this.metaData = metaData;
    }

    @Override
    int count() throws SQLException {
      return metaData.getColumnCount();
    }

    @Override
    int type(int index) throws SQLException {
      return metaData.getColumnType(index);
    }

    @Override
    String label(int index) throws SQLException {
      return metaData.getColumnLabel(index);
    }

    @Override
    @Nullable String typeName(int index) throws SQLException {
      return metaData.getColumnTypeName(index);
    }

    @Override
    int precision(int index) throws SQLException {
      return metaData.getPrecision(index);
    }
  }

  // ---------------------------------------------------------------- the driver's own objects

  /** How the columns of one class of results are reached. */
  private interface Driver {
    @Nullable ResultColumns of(ResultSet result) throws SQLException;
  }

  private static final Driver UNKNOWN = result -> null;

  private static final ClassValue<Driver> DRIVERS =
      new ClassValue<>() {
        @Override
        protected Driver computeValue(Class<?> type) {
          try {
            Class<?> known = type;
            while (known != null) {
              switch (known.getName()) {
                case "org.postgresql.jdbc.PgResultSet" -> {
                  return postgres(known);
                }
                case "org.h2.jdbc.JdbcResultSet" -> {
                  return h2(known);
                }
                default -> known = known.getSuperclass();
              }
            }
          } catch (ReflectiveOperationException | RuntimeException | LinkageError e) {
            // another version of the driver
          }
          return UNKNOWN;
        }
      };

  private static MethodHandle call(Class<?> type, String name, Class<?>... parameters)
      throws ReflectiveOperationException {
    MethodHandle call = MethodHandles.publicLookup().unreflect(type.getMethod(name, parameters));
    return call.asType(
        call.type().parameterCount() == 1
            ? MethodType.methodType(Object.class, Object.class)
            : MethodType.methodType(Object.class, Object.class, int.class));
  }

  private static Object invoked(MethodHandle call, @Nullable Object on) throws SQLException {
    try {
      return call.invoke(on);
    } catch (Throwable e) {
      throw failed(e);
    }
  }

  private static Object invoked(MethodHandle call, Object on, int index) throws SQLException {
    try {
      return call.invoke(on, index);
    } catch (Throwable e) {
      throw failed(e);
    }
  }

  private static SQLException failed(Throwable error) {
    if (error instanceof VirtualMachineError fatal) {
      throw fatal;
    }
    return new SQLException(error);
  }

  private static Driver postgres(Class<?> type) throws ReflectiveOperationException {
    MethodHandle oid = call(type, "getColumnOID", int.class);
    return result ->
        new Described(result.getMetaData()) {
          @Override
          int type(int index) throws SQLException {
            return switch ((int) invoked(oid, result, index)) {
              case 20 -> Types.BIGINT;
              case 21 -> Types.SMALLINT;
              case 23 -> Types.INTEGER;
              case 25, 1043 -> Types.VARCHAR;
              case 1042 -> Types.CHAR;
              case 1082 -> Types.DATE;
              case 1700 -> Types.NUMERIC;
              case 16 -> Types.BOOLEAN;
              case 17 -> Types.BINARY;
              case 700 -> Types.REAL;
              case 701 -> Types.DOUBLE;
              case 1083 -> Types.TIME;
              case 1114 -> Types.TIMESTAMP;
              case 1184 -> Types.TIMESTAMP_WITH_TIMEZONE;
              case 2950 -> Types.JAVA_OBJECT;
              case 1000, 1005, 1007, 1009, 1015, 1016, 1022, 1182, 1231, 2951 -> Types.ARRAY;
              default -> Types.OTHER;
            };
          }

          @Override
          String typeName(int index) throws SQLException {
            return switch (type(index)) {
              case Types.VARCHAR -> "varchar";
              case Types.CHAR -> "bpchar";
              case Types.DATE -> "date";
              case Types.JAVA_OBJECT -> "uuid";
              case Types.ARRAY -> arrayName((int) invoked(oid, result, index));
              default -> "";
            };
          }
        };
  }

  private static String arrayName(int oid) {
    return switch (oid) {
      case 1000 -> "_bool";
      case 1005 -> "_int2";
      case 1007 -> "_int4";
      case 1009 -> "_text";
      case 1015 -> "_varchar";
      case 1016 -> "_int8";
      case 1022 -> "_float8";
      case 1182 -> "_date";
      case 1231 -> "_numeric";
      default -> "_uuid";
    };
  }

  private static Driver h2(Class<?> type) throws ReflectiveOperationException {
    ClassLoader loader = type.getClassLoader();
    Class<?> results = Class.forName("org.h2.result.ResultInterface", false, loader);
    Class<?> types = Class.forName("org.h2.value.TypeInfo", false, loader);
    MethodHandle getResult = call(type, "getResult");
    MethodHandle count = call(results, "getVisibleColumnCount");
    MethodHandle alias = call(results, "getAlias", int.class);
    MethodHandle columnType = call(results, "getColumnType", int.class);
    MethodHandle typeName = call(types, "getDeclaredTypeName");
    MethodHandle precision = call(types, "getPrecision");
    MethodHandle sqlType =
        call(Class.forName("org.h2.value.DataType", false, loader), "convertTypeToSQLType", types);
    return shown -> {
      Object result = invoked(getResult, shown);
      return new ResultColumns() {
        @Override
        int count() throws SQLException {
          return (int) invoked(count, result);
        }

        @Override
        int type(int index) throws SQLException {
          return (int) invoked(sqlType, invoked(columnType, result, index - 1));
        }

        @Override
        String label(int index) throws SQLException {
          return (String) invoked(alias, result, index - 1);
        }

        @Override
        String typeName(int index) throws SQLException {
          return (String) invoked(typeName, invoked(columnType, result, index - 1));
        }

        @Override
        int precision(int index) throws SQLException {
          long length = (long) invoked(precision, invoked(columnType, result, index - 1));
          return (int) Math.min(length, Integer.MAX_VALUE);
        }
      };
    };
  }
}
