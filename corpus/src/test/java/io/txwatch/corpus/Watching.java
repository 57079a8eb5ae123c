package io.txwatch.corpus;

import io.txwatch.capture.Pipeline;
import io.txwatch.jdbc.Watch;
import io.txwatch.prepare.Preparation;
import io.txwatch.prepare.PreparationResult;
import io.txwatch.product.registry.Products;
import io.txwatch.rewrite.RewritePlanner.Level;
import io.txwatch.settings.Setting;
import io.txwatch.settings.Settings;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/** Prepares databases of the corpus and watches their connections. */
public final class Watching {

  private static final Duration LOCK_TIMEOUT = Duration.ofSeconds(5);

  private Watching() {}

  /**
   * Adds the auxiliary columns, where tables can have them.
   *
   * @param tables the tables; all if empty
   */
  public static PreparationResult prepare(String url, List<String> tables) throws SQLException {
    try (Connection connection = DriverManager.getConnection(url)) {
      Preparation preparation = Products.preparation(connection, url, LOCK_TIMEOUT);
      return preparation.isPossible()
          ? preparation.execute(preparation.planPrepare(tables))
          : new PreparationResult(List.of(), List.of());
    }
  }

  /**
   * Wraps a connection; its events contain the statements without redaction. Versions come from the
   * columns that {@link #prepare} adds, on PostgreSQL from the system's.
   */
  public static Connection watch(Connection real, String url, Level level, Pipeline pipeline) {
    Settings settings =
        Settings.of(
            Map.of(
                Setting.INSTRUMENT,
                level.name().toLowerCase(Locale.ROOT),
                Setting.VERSIONS,
                url.startsWith("jdbc:postgresql:") ? "system" : "columns",
                Setting.REDACT,
                "false"));
    return Watch.connection(
        real, url, "", () -> DriverManager.getConnection(url), settings, pipeline);
  }

  /**
   * Wraps a connection whose statements are sent as they are.
   *
   * @param versions the value of {@code txwatch.versions}
   * @param user one who may read the server's binary log without a password
   */
  public static Connection byValue(
      Connection real, String url, String versions, String user, Pipeline pipeline) {
    Settings settings =
        Settings.of(
            Map.of(Setting.VERSIONS, versions, Setting.LOG_USER, user, Setting.REDACT, "false"));
    return Watch.connection(
        real, url, "", () -> DriverManager.getConnection(url), settings, pipeline);
  }
}
