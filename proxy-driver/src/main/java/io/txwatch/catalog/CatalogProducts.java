package io.txwatch.catalog;

import io.txwatch.history.Database;
import java.sql.Connection;
import java.sql.DatabaseMetaData;
import java.sql.SQLException;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.atomic.AtomicLong;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * The DBMSs that catalogs can be read of.
 *
 * @param all each after those that are compatible with it; the last one is any other
 */
public record CatalogProducts(List<? extends CatalogProduct> all) {

  /** The name of the DBMS of a driver that does not state one. */
  public static final String UNNAMED = "an unnamed DBMS";

  private static final Pattern PARAMETERS = Pattern.compile("[?;].*", Pattern.DOTALL);

  private static final AtomicLong PRIVATE_COUNT = new AtomicLong();

  public CatalogProducts {
    all = List.copyOf(all);
  }

  /**
   * Recognizes the DBMS behind a connection.
   *
   * <p>To be used with a connection that has just been opened, before the application gets it: it
   * is then in no transaction, and one or two small queries disturb nothing.
   *
   * @param url the URL it was opened with; what it states of user and password is not kept
   * @throws SQLException if the DBMS does not even return its name
   */
  public DatabaseProbe probe(Connection connection, String url) throws SQLException {
    DatabaseMetaData metaData = connection.getMetaData();
    String name = orElse(metaData == null ? null : metaData.getDatabaseProductName(), UNNAMED);
    String version = orElse(metaData == null ? null : metaData.getDatabaseProductVersion(), "");
    String folded = name.toLowerCase(Locale.ROOT);
    CatalogProduct.Probed probed =
        all.stream()
            .filter(product -> product.isDriverName(folded))
            .findFirst()
            .orElseThrow()
            .probe(connection, name, version);
    return new DatabaseProbe(
        new Database(probed.product(), probed.settings(), place(url)),
        all.stream()
            .filter(product -> product.includes(probed.product()))
            .findFirst()
            .orElseThrow(),
        probed.hasKnownSql());
  }

  /**
   * True if versions can come by value there while nothing is set, as far as the driver shows
   * without a query.
   */
  boolean supportsVersionsByValue(Connection connection) throws SQLException {
    DatabaseMetaData metaData = connection.getMetaData();
    String name = orElse(metaData == null ? null : metaData.getDatabaseProductName(), UNNAMED);
    return all.stream().anyMatch(product -> product.supportsVersionsByValue(name));
  }

  /**
   * The URL without parameters and credentials. A database in memory that has no name belongs to
   * its one connection: each is a place of its own.
   */
  String place(String url) {
    String bare = ShownUrl.of(url);
    return isOfOneConnection(bare) ? bare + "#" + PRIVATE_COUNT.incrementAndGet() : bare;
  }

  /** True if only the one connection that has this URL reaches its database. */
  boolean isPrivate(String url) {
    return isOfOneConnection(PARAMETERS.matcher(url).replaceFirst(""));
  }

  private boolean isOfOneConnection(String bareUrl) {
    return all.stream().anyMatch(product -> product.isPrivate(bareUrl));
  }

  /** As {@link CatalogProduct#runOf}. */
  String runOf(String url, Connection connection) {
    return all.stream()
        .map(product -> product.runOf(url, connection))
        .collect(Collectors.joining());
  }

  /** What a driver gives, which may be a stub that gives nothing. */
  private static String orElse(@Nullable String given, String instead) {
    return given == null ? instead : given;
  }
}
