package io.txwatch.product.h2;

import static io.txwatch.catalog.NameColumns.column;

import io.txwatch.plan.KeyColumn;
import io.txwatch.plan.KeyColumn.Kind;
import java.util.Optional;

/** The columns of the key that reports name rows by, from the types of H2. */
final class H2NameColumns {

  private H2NameColumns() {}

  /** The column; empty if it is of no kind. */
  static Optional<KeyColumn> of(String name, String type, String collation) {
    boolean isExact = collation.equals("OFF");
    return switch (type) {
      case "TINYINT", "SMALLINT", "INTEGER", "BIGINT" ->
          Optional.of(column(name, Kind.INTEGER, true));
      case "NUMERIC", "DECIMAL" -> Optional.of(column(name, Kind.NUMBER, false));
      case "CHARACTER VARYING" -> Optional.of(column(name, Kind.TEXT, isExact));
      case "VARCHAR_IGNORECASE" -> Optional.of(column(name, Kind.TEXT, false));
      case "CHARACTER" -> Optional.of(column(name, Kind.PADDED_TEXT, isExact));
      case "UUID" -> Optional.of(column(name, Kind.UUID, true));
      case "DATE", "TIMESTAMP" -> Optional.of(column(name, Kind.OTHER, false));
      default -> Optional.empty();
    };
  }
}
