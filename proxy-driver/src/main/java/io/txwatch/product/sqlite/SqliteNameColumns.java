package io.txwatch.product.sqlite;

import static io.txwatch.catalog.NameColumns.column;

import io.txwatch.plan.KeyColumn;
import io.txwatch.plan.KeyColumn.Kind;
import java.util.Locale;
import java.util.Optional;

/** The columns of the key that reports name rows by, from SQLite's types. */
final class SqliteNameColumns {

  private SqliteNameColumns() {}

  /**
   * The column, by the affinity of its type; empty if it is of no kind. A column of integers can
   * contain text, too, unless it is the row id; and the collation of a column is nowhere in its
   * catalog.
   *
   * @param isRowId true if the row id is the key, which has no index then
   */
  static Optional<KeyColumn> of(String name, String declared, boolean isRowId) {
    String type = declared.toUpperCase(Locale.ROOT);
    if (isRowId) {
      return Optional.of(column(name, Kind.INTEGER, true));
    } else if (type.contains("INT")) {
      return Optional.of(column(name, Kind.NUMBER, true));
    }
    boolean isApproximate = type.contains("REAL") || type.contains("FLOA") || type.contains("DOUB");
    return type.isEmpty() || type.contains("BLOB") || isApproximate
        ? Optional.empty()
        : Optional.of(column(name, Kind.TEXT, false));
  }
}
