package org.example.pools;

import com.atomikos.icatch.jta.UserTransactionManager;
import com.atomikos.jdbc.AtomikosDataSourceBean;
import com.mchange.v2.c3p0.ComboPooledDataSource;
import com.mysql.cj.jdbc.MysqlConnectionPoolDataSource;
import com.mysql.cj.jdbc.MysqlDataSource;
import com.mysql.cj.jdbc.MysqlXADataSource;
import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import io.agroal.api.AgroalDataSource;
import io.agroal.api.configuration.supplier.AgroalDataSourceConfigurationSupplier;
import java.sql.SQLException;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Map;
import javax.sql.ConnectionPoolDataSource;
import javax.sql.DataSource;
import javax.sql.XADataSource;
import org.apache.commons.dbcp2.BasicDataSource;
import org.apache.commons.dbcp2.cpdsadapter.DriverAdapterCPDS;
import org.apache.commons.dbcp2.datasources.SharedPoolDataSource;
import org.apache.commons.dbcp2.managed.BasicManagedDataSource;
import org.apache.tomcat.jdbc.pool.PoolProperties;
import org.mariadb.jdbc.MariaDbDataSource;
import org.mariadb.jdbc.MariaDbPoolDataSource;
import org.postgresql.ds.PGConnectionPoolDataSource;
import org.postgresql.ds.PGSimpleDataSource;
import org.postgresql.xa.PGXADataSource;

/** Every kind of pool, by its name. */
final class PoolKinds {

  private static final int MAX_WAIT_MILLIS = 250;

  private PoolKinds() {}

  /** Makes a pool for a URL. */
  interface Maker {
    Pool make(String url) throws Exception;
  }

  /** Those that take a URL of whatever driver. */
  static Map<String, Maker> byUrl() {
    Map<String, Maker> makers = new LinkedHashMap<>();
    makers.put("hikari", PoolKinds::hikari);
    makers.put("tomcat", PoolKinds::tomcat);
    makers.put("dbcp", url -> dbcp(new BasicDataSource(), url));
    makers.put("dbcp_managed", PoolKinds::managed);
    makers.put(
        "dbcp_shared",
        url -> {
          DriverAdapterCPDS adapter = new DriverAdapterCPDS();
          adapter.setDriver(driver(url));
          adapter.setUrl(url);
          return shared(adapter);
        });
    makers.put("c3p0", PoolKinds::c3p0);
    makers.put("agroal", PoolKinds::agroal);
    return makers;
  }

  /** Those that take their connections from a driver's data source. */
  static Map<String, Maker> byDataSource(String url) {
    Map<String, Maker> makers = new LinkedHashMap<>();
    makers.put("plain", any -> Pool.of(plain(any), false, () -> {}));
    makers.put("hikari_plain", any -> hikari(plain(any)));
    makers.put("xa", any -> Pool.ofXa(xa(any), false, () -> {}));
    makers.put(
        "pooled",
        any -> {
          ConnectionPoolDataSource source = pooled(any);
          return Pool.ofPooled(source::getPooledConnection, false, () -> {});
        });
    makers.put("shared_vendor", any -> shared(pooled(any)));
    makers.put("atomikos", any -> atomikos(xa(any)));
    if (url.startsWith("jdbc:mariadb:")) {
      makers.put(
          "mariadb_pool",
          any -> {
            MariaDbPoolDataSource source = mariaDbPool(any);
            return Pool.of(source, source::close);
          });
      makers.put(
          "mariadb_pooled",
          any -> {
            MariaDbPoolDataSource source = mariaDbPool(any);
            return Pool.ofPooled(source::getPooledConnection, true, source::close);
          });
      makers.put(
          "mariadb_xa",
          any -> {
            MariaDbPoolDataSource source = mariaDbPool(any);
            return Pool.ofXa(source, true, source::close);
          });
    }
    return makers;
  }

  private static Pool hikari(String url) {
    HikariConfig config = new HikariConfig();
    config.setJdbcUrl(url);
    config.setConnectionTimeout(4 * MAX_WAIT_MILLIS); // the first loads the driver's classes
    return hikari(config);
  }

  private static Pool hikari(DataSource behind) {
    HikariConfig config = new HikariConfig();
    config.setDataSource(behind);
    config.setConnectionTimeout(4 * MAX_WAIT_MILLIS); // the first needs the driver's classes
    return hikari(config);
  }

  private static Pool hikari(HikariConfig config) {
    config.setMaximumPoolSize(Pool.MAX_CONNECTIONS);
    config.setMinimumIdle(0);
    HikariDataSource source = new HikariDataSource(config);
    return Pool.of(source, source::close);
  }

  private static Pool tomcat(String url) {
    PoolProperties properties = new PoolProperties();
    properties.setUrl(url);
    properties.setDriverClassName(driver(url));
    properties.setMaxActive(Pool.MAX_CONNECTIONS);
    properties.setInitialSize(0);
    properties.setMaxWait(MAX_WAIT_MILLIS);
    properties.setRollbackOnReturn(true);
    properties.setDefaultAutoCommit(true);
    properties.setJdbcInterceptors("org.apache.tomcat.jdbc.pool.interceptor.ConnectionState");
    var source = new org.apache.tomcat.jdbc.pool.DataSource(properties);
    return Pool.of(source, () -> source.close(true));
  }

  private static Pool dbcp(BasicDataSource source, String url) {
    source.setUrl(url);
    source.setMaxTotal(Pool.MAX_CONNECTIONS);
    source.setMaxWait(Duration.ofMillis(MAX_WAIT_MILLIS));
    return Pool.of(source, source::close);
  }

  private static Pool managed(String url) throws Exception {
    UserTransactionManager manager = new UserTransactionManager();
    manager.init();
    BasicManagedDataSource source = new BasicManagedDataSource();
    source.setTransactionManager(manager);
    Pool pool = dbcp(source, url);
    return Pool.of(
        source,
        () -> {
          pool.close();
          manager.close();
        });
  }

  private static Pool shared(ConnectionPoolDataSource behind) {
    SharedPoolDataSource source = new SharedPoolDataSource();
    source.setConnectionPoolDataSource(behind);
    source.setMaxTotal(Pool.MAX_CONNECTIONS);
    source.setDefaultMaxWait(Duration.ofMillis(MAX_WAIT_MILLIS));
    source.setRollbackAfterValidation(false);
    return Pool.of(source, source::close);
  }

  private static Pool c3p0(String url) {
    ComboPooledDataSource source = new ComboPooledDataSource();
    source.setJdbcUrl(url);
    source.setInitialPoolSize(1);
    source.setMinPoolSize(1);
    source.setAcquireIncrement(1);
    source.setMaxPoolSize(Pool.MAX_CONNECTIONS);
    source.setCheckoutTimeout(2_000);
    source.setAcquireRetryAttempts(2);
    source.setAcquireRetryDelay(100);
    return Pool.of(source, source::close);
  }

  private static Pool agroal(String url) throws SQLException {
    AgroalDataSource source =
        AgroalDataSource.from(
            new AgroalDataSourceConfigurationSupplier()
                .connectionPoolConfiguration(
                    pool ->
                        pool.maxSize(Pool.MAX_CONNECTIONS)
                            .acquisitionTimeout(Duration.ofSeconds(1))
                            .connectionFactoryConfiguration(factory -> factory.jdbcUrl(url))));
    return Pool.of(source, source::close);
  }

  private static Pool atomikos(XADataSource xa) throws Exception {
    AtomikosDataSourceBean source = new AtomikosDataSourceBean();
    source.setUniqueResourceName("pools" + System.nanoTime());
    source.setXaDataSource(xa);
    source.setMinPoolSize(0);
    source.setMaxPoolSize(Pool.MAX_CONNECTIONS);
    source.setBorrowConnectionTimeout(1);
    source.setLocalTransactionMode(true);
    return Pool.of(source, source::close);
  }

  private static MariaDbPoolDataSource mariaDbPool(String url) throws SQLException {
    String separator = url.contains("?") ? "&" : "?";
    return new MariaDbPoolDataSource(
        url
            + separator
            + "maxPoolSize="
            + Pool.MAX_CONNECTIONS
            + "&minPoolSize=1&connectTimeout=1000&registerJmxPool=false&poolName=p"
            + System.nanoTime());
  }

  private static DataSource plain(String url) throws SQLException {
    if (url.startsWith("jdbc:postgresql:")) {
      PGSimpleDataSource source = new PGSimpleDataSource();
      source.setUrl(url);
      return source;
    }
    if (url.startsWith("jdbc:mysql:")) {
      MysqlDataSource source = new MysqlDataSource();
      source.setUrl(url);
      return source;
    }
    return new MariaDbDataSource(url);
  }

  private static XADataSource xa(String url) throws SQLException {
    if (url.startsWith("jdbc:postgresql:")) {
      PGXADataSource source = new PGXADataSource();
      source.setUrl(url);
      return source;
    }
    if (url.startsWith("jdbc:mysql:")) {
      MysqlXADataSource source = new MysqlXADataSource();
      source.setUrl(url);
      return source;
    }
    return new MariaDbDataSource(url);
  }

  private static ConnectionPoolDataSource pooled(String url) throws SQLException {
    if (url.startsWith("jdbc:postgresql:")) {
      PGConnectionPoolDataSource source = new PGConnectionPoolDataSource();
      source.setUrl(url);
      return source;
    }
    if (url.startsWith("jdbc:mysql:")) {
      MysqlConnectionPoolDataSource source = new MysqlConnectionPoolDataSource();
      source.setUrl(url);
      return source;
    }
    return new MariaDbDataSource(url);
  }

  private static String driver(String url) {
    if (url.startsWith("jdbc:txwatch:")) {
      return "io.txwatch.jdbc.TxWatchDriver";
    }
    return url.startsWith("jdbc:postgresql:")
        ? "org.postgresql.Driver"
        : url.startsWith("jdbc:mysql:") ? "com.mysql.cj.jdbc.Driver" : "org.mariadb.jdbc.Driver";
  }
}
