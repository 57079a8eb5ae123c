package io.txwatch.jdbc;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Distinguishes the classes of JDBC drivers from those of pools and proxies, by their packages.
 * Pools implement {@link javax.sql.ConnectionPoolDataSource} and {@link java.sql.Driver}, too
 * (c3p0, DBCP), and cast what they get from themselves, so what a class implements shows nothing.
 */
final class DriverClasses {

  /** The drivers of the DBMSs whose SQL is rewritten. */
  private static final List<String> DRIVERS =
      List.of("org.postgresql.", "com.mysql.", "org.mariadb.", "org.h2.", "org.sqlite.");

  private DriverClasses() {}

  /**
   * True if an object is of a class, or of a subclass of one, that belongs to the driver of a DBMS
   * whose SQL is rewritten.
   */
  static boolean isDrivers(Object object) {
    return driver(object.getClass()) != null;
  }

  /** True if a class is in a package of the driver of a DBMS whose SQL is rewritten. */
  static boolean isDriverClass(String className) {
    return DRIVERS.stream().anyMatch(className::startsWith);
  }

  /**
   * True if a data source may give out the same physical connection again after it was closed: all
   * but those of drivers that cannot themselves be closed. ({@code MariaDbPoolDataSource} can.)
   */
  static boolean mayPool(Object dataSource) {
    return dataSource instanceof AutoCloseable || !isDrivers(dataSource);
  }

  /**
   * True if two objects are of one vendor's making, so that one may cast what it gets from the
   * other to a class of their own.
   */
  static boolean areOfOneVendor(Object one, Object other) {
    return vendor(one.getClass()).equals(vendor(other.getClass()));
  }

  private static String vendor(Class<?> type) {
    String driver = driver(type);
    if (driver != null) {
      return driver;
    }
    String[] packages = type.getName().split("\\.", -1);
    int depth = type.getName().startsWith("org.apache.") ? 3 : 2;
    return String.join(".", List.of(packages).subList(0, Math.min(depth, packages.length)));
  }

  private static @Nullable String driver(Class<?> type) {
    for (Class<?> each = type; each != null; each = each.getSuperclass()) {
      for (String driver : DRIVERS) {
        if (each.getName().startsWith(driver)) {
          return driver;
        }
      }
    }
    return null;
  }
}
