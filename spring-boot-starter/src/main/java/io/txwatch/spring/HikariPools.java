package io.txwatch.spring;

import com.zaxxer.hikari.HikariDataSource;
import com.zaxxer.hikari.HikariPoolMXBean;
import java.sql.SQLException;
import java.util.stream.Stream;
import javax.sql.DataSource;

/**
 * The application's pools of HikariCP, which replace their connections when the level of
 * observation changes: an open connection keeps its level.
 */
final class HikariPools {

  private static final String CLASS = "com.zaxxer.hikari.HikariDataSource";

  private HikariPools() {}

  /** Whether the application has HikariCP: without it, the other methods must not be called. */
  static boolean arePresent() {
    try {
      Class.forName(CLASS, false, HikariPools.class.getClassLoader());
      return true;
    } catch (ClassNotFoundException e) {
      return false;
    }
  }

  /**
   * Closes the idle connections of the pools, and each other one when it is returned.
   *
   * @return how many pools there are
   */
  static long replaceConnections(Stream<DataSource> sources) {
    return sources.map(HikariPools::pool).filter(HikariPools::evict).count();
  }

  private static DataSource pool(DataSource source) {
    try {
      return source.isWrapperFor(HikariDataSource.class)
          ? source.unwrap(HikariDataSource.class)
          : source;
    } catch (SQLException | RuntimeException e) {
      return source;
    }
  }

  private static boolean evict(DataSource source) {
    if (source instanceof HikariDataSource hikari) {
      HikariPoolMXBean pool = hikari.getHikariPoolMXBean();
      if (pool != null) {
        pool.softEvictConnections();
        return true;
      }
    }
    return false;
  }
}
