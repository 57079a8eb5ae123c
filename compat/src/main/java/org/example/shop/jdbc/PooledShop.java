package org.example.shop.jdbc;

import com.mchange.v2.c3p0.ComboPooledDataSource;
import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import io.agroal.api.AgroalDataSource;
import io.agroal.api.configuration.supplier.AgroalDataSourceConfigurationSupplier;
import java.sql.SQLException;
import org.apache.commons.dbcp2.BasicDataSource;
import org.apache.tomcat.jdbc.pool.PoolProperties;
import org.example.shop.Shop;
import org.example.shop.Workload;

/** A pool, by its name. */
public final class PooledShop {

  private static final int MAX_CONNECTIONS = 4;

  private PooledShop() {}

  /**
   * Runs it.
   *
   * @param arguments the URL and the name of the pool
   */
  public static void main(String[] arguments) throws Exception {
    Workload.run(open(arguments[1], arguments[0]));
  }

  private static Shop open(String pool, String url) throws SQLException {
    return switch (pool) {
      case "hikari" -> {
        HikariDataSource source = hikari(url);
        yield new JdbcShop(source, source);
      }
      case "tomcat" -> {
        PoolProperties properties = new PoolProperties();
        properties.setUrl(url);
        properties.setInitialSize(1);
        properties.setMaxActive(MAX_CONNECTIONS);
        var source = new org.apache.tomcat.jdbc.pool.DataSource(properties);
        yield new JdbcShop(source, () -> source.close(true));
      }
      case "dbcp2" -> {
        BasicDataSource source = new BasicDataSource();
        source.setUrl(url);
        source.setMaxTotal(MAX_CONNECTIONS);
        source.setPoolPreparedStatements(true);
        yield new JdbcShop(source, source);
      }
      case "c3p0" -> {
        ComboPooledDataSource source = new ComboPooledDataSource();
        source.setJdbcUrl(url);
        source.setInitialPoolSize(1);
        source.setMinPoolSize(1);
        source.setMaxPoolSize(MAX_CONNECTIONS);
        source.setMaxStatements(20);
        yield new JdbcShop(source, source);
      }
      case "agroal" -> {
        AgroalDataSource source =
            AgroalDataSource.from(
                new AgroalDataSourceConfigurationSupplier()
                    .connectionPoolConfiguration(
                        config ->
                            config
                                .maxSize(MAX_CONNECTIONS)
                                .connectionFactoryConfiguration(factory -> factory.jdbcUrl(url))));
        yield new JdbcShop(source, source);
      }
      default -> throw new IllegalArgumentException(pool);
    };
  }

  /** The pool of the applications that need one of whatever kind. */
  public static HikariDataSource hikari(String url) {
    HikariConfig config = new HikariConfig();
    config.setJdbcUrl(url);
    config.setMaximumPoolSize(MAX_CONNECTIONS);
    return new HikariDataSource(config);
  }
}
