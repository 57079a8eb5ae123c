package io.txwatch.bench.overhead;

import com.p6spy.engine.spy.P6SpyDriver;
import io.txwatch.bench.OptionNames;
import io.txwatch.jdbc.TxWatchDriver;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.util.Properties;
import java.util.stream.Stream;
import net.ttddyy.dsproxy.listener.logging.SLF4JLogLevel;
import net.ttddyy.dsproxy.support.ProxyDataSourceBuilder;

/** The layer between the application and its driver. */
public enum Variant {
  /** No layer. */
  RAW("raw", Layer.NOTHING, ""),
  /** No layer, a second time: differences from {@link #RAW} are noise. */
  RAW_AGAIN("raw, again", Layer.NOTHING, ""),
  /** p6spy's proxies without its log. */
  P6SPY("p6spy, log off", Layer.P6SPY, "com.p6spy.engine.spy.P6SpyFactory"),
  /** p6spy by default: each statement is a line in a file. */
  P6SPY_LOG(
      "p6spy, log to a file",
      Layer.P6SPY,
      "com.p6spy.engine.spy.P6SpyFactory,com.p6spy.engine.logging.P6LogFactory"),
  /** datasource-proxy without a listener. */
  DATASOURCE_PROXY("datasource-proxy, no listener", Layer.DATASOURCE_PROXY, ""),
  /** datasource-proxy with its SLF4J listener, into a file. */
  DATASOURCE_PROXY_LOG("datasource-proxy, log to a file", Layer.DATASOURCE_PROXY, "log"),
  /** {@code txwatch.instrument=off}. */
  OFF("txwatch off", Layer.TXWATCH, "off none"),
  /** {@code txwatch.instrument=inline} with the analyzer in the application. */
  INLINE("txwatch inline", Layer.TXWATCH, "inline inprocess"),
  /** The same with samples of who waits for whom. */
  INLINE_WAITS("txwatch inline, waits", Layer.TXWATCH, "inline inprocess"),
  /** {@link #INLINE} with versions from the server's binary log: nothing is rewritten. */
  LOG("txwatch, binary log", Layer.TXWATCH, "inline inprocess log"),
  /** The same with triggers of H2 in memory. */
  TRIGGERS("txwatch, triggers", Layer.TXWATCH, "inline inprocess triggers"),
  /** The same with what statements themselves state of their rows. */
  STATEMENTS("txwatch, statements", Layer.TXWATCH, "inline inprocess statements"),
  /** {@link #INLINE} without an analyzer. */
  INLINE_NONE("txwatch inline, analyzer none", Layer.TXWATCH, "inline none"),
  /** The same with the history written to a file, for a separate analyzer. */
  INLINE_HISTORY("txwatch inline, history to a file", Layer.TXWATCH, "inline none"),
  /** The same with the parameters and results of statements in it. */
  INLINE_PREDICT("txwatch inline, values to a file", Layer.TXWATCH, "inline none"),
  /** The same with a shared analyzer that is not running: its port is closed. */
  INLINE_GONE("txwatch inline, analyzer gone", Layer.TXWATCH, "inline tcp://127.0.0.1:9"),
  /** The same with a shared analyzer in a process of its own. */
  INLINE_TCP("txwatch inline, analyzer at TCP", Layer.TXWATCH, "inline tcp://"),
  /** The same with a topic of a broker in a process of its own, without a reader. */
  INLINE_KAFKA("txwatch inline, topic of Kafka", Layer.TXWATCH, "inline kafka://"),
  /** {@code txwatch.instrument=items}. */
  ITEMS("txwatch items", Layer.TXWATCH, "items inprocess"),
  /** The same without an analyzer. */
  ITEMS_NONE("txwatch items, analyzer none", Layer.TXWATCH, "items none"),
  /** {@code txwatch.instrument=predicates}. */
  PREDICATES("txwatch predicates", Layer.TXWATCH, "predicates inprocess"),
  /** The same without an analyzer. */
  PREDICATES_NONE("txwatch predicates, analyzer none", Layer.TXWATCH, "predicates none");

  /** The variants that run unless others are named: those that need nothing else to be built. */
  static Variant[] byDefault() {
    return Stream.of(values()).filter(one -> one != INLINE_KAFKA).toArray(Variant[]::new);
  }

  /** The property of a worker's JVM with the URL that such a variant reports to. */
  static final String DESTINATION = "bench.destination";

  private enum Layer {
    NOTHING,
    P6SPY,
    DATASOURCE_PROXY,
    TXWATCH
  }

  private final String title;
  private final Layer layer;
  private final String detail;

  Variant(String title, Layer layer, String detail) {
    this.title = title;
    this.layer = layer;
    this.detail = detail;
  }

  /** The name in tables. */
  public String title() {
    return title;
  }

  /** The name on command lines: {@code inline-none}. */
  public String option() {
    return OptionNames.option(this);
  }

  /** The variant with this name on command lines. */
  public static Variant ofOption(String option) {
    return OptionNames.ofOption("variant", Variant.class, option);
  }

  /** True if its tables have the auxiliary columns, where tables can have them. */
  public boolean isPrepared() {
    return layer == Layer.TXWATCH && this != OFF && detail.split(" ").length == 2;
  }

  /**
   * Sets the properties that apply to the whole JVM.
   *
   * @param directory for its files
   */
  public void setUp(Path directory) {
    System.setProperty("logback.configurationFile", "bench-logback.xml");
    System.setProperty("bench.log", directory.resolve(option() + ".slf4j.log").toString());
    if (layer == Layer.P6SPY) {
      System.setProperty("p6spy.config.modulelist", detail);
      System.setProperty(
          "p6spy.config.logfile", directory.resolve(option() + ".spy.log").toString());
    }
    System.setProperty("txwatch.waits", this == INLINE_WAITS ? "on" : "off");
    if (this == INLINE_HISTORY || this == INLINE_PREDICT) {
      System.setProperty("txwatch.history", directory.resolve(option()).toString());
      System.setProperty("txwatch.predict", this == INLINE_PREDICT ? "on" : "off");
    }
  }

  /** Opens a connection to a real URL. */
  public Connection open(String url) throws SQLException {
    return switch (layer) {
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
    properties.setProperty(
        "txwatch.analyzer",
        settings[1].endsWith("://") ? System.getProperty(DESTINATION, settings[1]) : settings[1]);
    properties.setProperty("txwatch.versions", settings.length > 2 ? settings[2] : "auto");
    Connection connection =
        new TxWatchDriver().connect("jdbc:txwatch:" + url.substring("jdbc:".length()), properties);
    if (connection == null) {
      throw new SQLException("txwatch does not take " + url);
    }
    return connection;
  }
}
