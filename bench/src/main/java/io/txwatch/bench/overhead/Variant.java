package io.txwatch.bench.overhead;

import com.p6spy.engine.spy.P6SpyDriver;
import io.txwatch.bench.Named;
import io.txwatch.jdbc.TxWatchDriver;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.util.Properties;
import net.ttddyy.dsproxy.listener.logging.SLF4JLogLevel;
import net.ttddyy.dsproxy.support.ProxyDataSourceBuilder;

/** What stands between the application and its driver. */
public enum Variant {
  /** Nothing. */
  RAW("raw", Between.NOTHING, ""),
  /** Nothing once more: what differs from {@link #RAW} is noise. */
  RAW_AGAIN("raw, again", Between.NOTHING, ""),
  /** p6spy's proxies without its log. */
  P6SPY("p6spy, log off", Between.P6SPY, "com.p6spy.engine.spy.P6SpyFactory"),
  /** p6spy as it comes: each statement a line of a file. */
  P6SPY_LOG(
      "p6spy, log to a file",
      Between.P6SPY,
      "com.p6spy.engine.spy.P6SpyFactory,com.p6spy.engine.logging.P6LogFactory"),
  /** datasource-proxy without a listener. */
  DATASOURCE_PROXY("datasource-proxy, no listener", Between.DATASOURCE_PROXY, ""),
  /** datasource-proxy with its SLF4J listener, into a file. */
  DATASOURCE_PROXY_LOG("datasource-proxy, log to a file", Between.DATASOURCE_PROXY, "log"),
  /** {@code txwatch.instrument=off}. */
  OFF("txwatch off", Between.TXWATCH, "off none"),
  /** {@code txwatch.instrument=inline} with the analyzer in the application. */
  INLINE("txwatch inline", Between.TXWATCH, "inline inprocess"),
  /** The same without an analyzer. */
  INLINE_NONE("txwatch inline, analyzer none", Between.TXWATCH, "inline none"),
  /** The same with the history written to a file, for an analyzer elsewhere, or later. */
  INLINE_HISTORY("txwatch inline, history to a file", Between.TXWATCH, "inline none"),
  /** The same with a shared analyzer that is gone: nobody listens at its port. */
  INLINE_GONE("txwatch inline, analyzer gone", Between.TXWATCH, "inline tcp://127.0.0.1:9"),
  /** {@code txwatch.instrument=items}. */
  ITEMS("txwatch items", Between.TXWATCH, "items inprocess"),
  /** The same without an analyzer. */
  ITEMS_NONE("txwatch items, analyzer none", Between.TXWATCH, "items none"),
  /** {@code txwatch.instrument=predicates}. */
  PREDICATES("txwatch predicates", Between.TXWATCH, "predicates inprocess"),
  /** The same without an analyzer. */
  PREDICATES_NONE("txwatch predicates, analyzer none", Between.TXWATCH, "predicates none");

  private enum Between {
    NOTHING,
    P6SPY,
    DATASOURCE_PROXY,
    TXWATCH
  }

  private final String title;
  private final Between between;
  private final String detail;

  Variant(String title, Between between, String detail) {
    this.title = title;
    this.between = between;
    this.detail = detail;
  }

  /** As tables show it. */
  public String title() {
    return title;
  }

  /** As command lines have it: {@code inline-none}. */
  public String option() {
    return Named.option(this);
  }

  /** The variant that a command line names. */
  public static Variant ofOption(String option) {
    return Named.ofOption("variant", Variant.class, option);
  }

  /** True if its tables carry the auxiliary columns. */
  public boolean isPrepared() {
    return between == Between.TXWATCH && this != OFF;
  }

  /**
   * Sets up what is set once in a JVM.
   *
   * @param directory where it may write
   */
  public void setUp(Path directory) {
    System.setProperty("logback.configurationFile", "bench-logback.xml");
    System.setProperty("bench.log", directory.resolve(option() + ".slf4j.log").toString());
    if (between == Between.P6SPY) {
      System.setProperty("p6spy.config.modulelist", detail);
      System.setProperty(
          "p6spy.config.logfile", directory.resolve(option() + ".spy.log").toString());
    }
    if (this == INLINE_HISTORY) {
      System.setProperty("txwatch.history", directory.resolve(option()).toString());
    }
  }

  /** Opens a connection to what a real URL names. */
  public Connection open(String url) throws SQLException {
    return switch (between) {
      case NOTHING -> DriverManager.getConnection(url);
      case P6SPY ->
          new P6SpyDriver().connect("jdbc:p6spy:" + url.substring("jdbc:".length()), none());
      case DATASOURCE_PROXY -> proxied(url);
      case TXWATCH -> watched(url);
    };
  }

  private static Properties none() {
    return new Properties();
  }

  private Connection proxied(String url) throws SQLException {
    ProxyDataSourceBuilder builder = ProxyDataSourceBuilder.create(new UrlDataSource(url));
    if (!detail.isEmpty()) {
      builder.logQueryBySlf4j(SLF4JLogLevel.INFO);
    }
    return builder.build().getConnection();
  }

  private Connection watched(String url) throws SQLException {
    String[] settings = detail.split(" ");
    Properties properties = none();
    properties.setProperty("txwatch.instrument", settings[0]);
    properties.setProperty("txwatch.analyzer", settings[1]);
    Connection connection =
        new TxWatchDriver().connect("jdbc:txwatch:" + url.substring("jdbc:".length()), properties);
    if (connection == null) {
      throw new SQLException("txwatch does not take " + url);
    }
    return connection;
  }
}
