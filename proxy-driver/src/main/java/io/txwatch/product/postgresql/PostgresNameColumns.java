package io.txwatch.product.postgresql;

import static io.txwatch.catalog.NameColumns.column;

import io.txwatch.plan.KeyColumn;
import io.txwatch.plan.KeyColumn.Kind;
import java.util.Optional;

/** The columns of the key that reports name rows by, from the types of PostgreSQL. */
final class PostgresNameColumns {

  private PostgresNameColumns() {}

  /** The column; empty if it is of no kind. */
  static Optional<KeyColumn> of(String name, String type, boolean isDeterministic) {
    return switch (type.replaceAll("\\(.*?\\)", "")) {
      case "smallint", "integer", "bigint" -> Optional.of(column(name, Kind.INTEGER, true));
      case "numeric" -> Optional.of(column(name, Kind.NUMBER, false));
      case "uuid" -> Optional.of(column(name, Kind.UUID, true));
      case "text", "character varying" -> Optional.of(column(name, Kind.TEXT, isDeterministic));
      case "character" -> Optional.of(column(name, Kind.PADDED_TEXT, isDeterministic));
      case "date", "timestamp without time zone" -> Optional.of(column(name, Kind.OTHER, false));
      default -> Optional.empty();
    };
  }
}
