package io.txwatch.catalog;

import io.txwatch.dialect.DialectSql;
import io.txwatch.history.Database;
import io.txwatch.history.Product;
import io.txwatch.sql.dialect.Dialect;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.Map;
import java.util.Optional;

/** A DBMS as the catalog uses it: how it is recognized, and how its tables are read. */
public interface CatalogProduct {

  /**
   * What a DBMS returns of itself.
   *
   * @param product its name and version
   * @param settings those that change its guarantees
   * @param hasKnownSql false if nothing is known of its SQL, or if it is set to a lexical mode that
   *     our tokenizer does not follow
   */
  record Probed(Product product, Map<String, String> settings, boolean hasKnownSql) {}

  /** What can be added to its statements. */
  DialectSql sql();

  /** The grammar of its statements. */
  default Dialect dialect() {
    return sql().dialect();
  }

  /**
   * True if a driver is one by which it is reached, maybe among others with the same protocol.
   *
   * @param name the name that the driver has for its DBMS, in lower case
   */
  boolean isDriverName(String name);

  /**
   * Reads what the DBMS behind such a driver is, with one or two small queries.
   *
   * @param name the name that the driver has for it
   * @param version its version, as the driver states it; empty if it does not
   */
  Probed probe(Connection connection, String name, String version) throws SQLException;

  /** True if this is the DBMS, or one that is compatible with it. */
  boolean includes(Product product);

  /**
   * The reader of its tables.
   *
   * @param systemColumns true if versions are read from the DBMS's system columns
   */
  SchemaReader reader(Database database, Connection connection, boolean systemColumns)
      throws SQLException;

  /**
   * True if versions can come by value there while nothing is set.
   *
   * @param product the name of the DBMS
   */
  default boolean supportsVersionsByValue(String product) {
    return false;
  }

  /** True if its statements can be read at least as long as they are not rewritten. */
  default boolean isReadUntouched(Product product) {
    return false;
  }

  /** True if nothing but its statements shows what they write. */
  default boolean statesWritesAlone() {
    return false;
  }

  /**
   * Why versions cannot come from the system columns of a DBMS whose rows have them, after its
   * name; empty if they can.
   */
  default Optional<String> obstacleToSystemVersions(Database database) {
    return Optional.empty();
  }

  /**
   * True if only the one connection that has this URL reaches its database.
   *
   * @param url without parameters
   */
  default boolean isPrivate(String url) {
    return false;
  }

  /**
   * Which of the databases that have had the same name one after the other a connection reaches;
   * empty if the name is enough. Nothing is executed on the connection.
   */
  default String runOf(String url, Connection connection) {
    return "";
  }
}
