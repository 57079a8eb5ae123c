package io.txwatch.catalog;

import io.txwatch.dialect.DialectSql;
import io.txwatch.history.Database;
import io.txwatch.sql.dialect.Dialect;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.Optional;

/**
 * What DBMS is behind a connection: {@link CatalogProducts#probe}.
 *
 * @param database the DBMS, with the settings that change its guarantees
 * @param product what is particular to it
 * @param isRead false if nothing is known of its SQL, or if it is set to a lexical mode that our
 *     tokenizer does not follow (such as MySQL's {@code ANSI_QUOTES}; {@link SessionSqlMode})
 */
public record DatabaseProbe(Database database, CatalogProduct product, boolean isRead) {

  /** What can be added to its statements; empty if they are not read. */
  public Optional<DialectSql> sql() {
    return isRead ? Optional.of(product.sql()) : Optional.empty();
  }

  /** The grammar of its statements; empty if they are not read. */
  public Optional<Dialect> dialect() {
    return sql().map(DialectSql::dialect);
  }

  /** The reader of its tables. */
  public SchemaReader reader(Connection connection) throws SQLException {
    return product.reader(database, connection, false);
  }

  /**
   * True if versions can come by value while nothing is set. A DBMS that is compatible with another
   * one shows only when it is queried.
   */
  boolean supportsVersionsByValue() {
    return isRead && product.supportsVersionsByValue(database.product().name());
  }

  /**
   * The same where statements are not rewritten: any other DBMS is taken to have standard SQL, but
   * for one of ours that is set to another lexical mode, and a driver that names none: a stub.
   */
  public DatabaseProbe notRewritten() {
    return isRead || !product.isReadUntouched(database.product())
        ? this
        : new DatabaseProbe(database, product, true);
  }

  /** The same, seen by a session whose names without a schema mean that one's tables. */
  Database databaseAt(String schema) {
    return schema.isEmpty() ? database : database.at(database.place() + "#" + schema);
  }
}
