package io.txwatch.product.other;

import static io.txwatch.catalog.NameColumns.column;

import io.txwatch.plan.KeyColumn;
import io.txwatch.plan.KeyColumn.Kind;
import java.sql.Types;
import java.util.Optional;

/** The columns of the key that reports name rows by, from JDBC's numbers of types. */
final class JdbcNameColumns {

  private JdbcNameColumns() {}

  /**
   * The column, by JDBC's number of its type; empty if it is of no kind. How it compares text is
   * not known.
   *
   * @param type one of {@link Types}
   */
  static Optional<KeyColumn> of(String name, int type) {
    return switch (type) {
      case Types.TINYINT, Types.SMALLINT, Types.INTEGER, Types.BIGINT ->
          Optional.of(column(name, Kind.INTEGER, true));
      case Types.NUMERIC, Types.DECIMAL -> Optional.of(column(name, Kind.NUMBER, false));
      case Types.VARCHAR, Types.NVARCHAR -> Optional.of(column(name, Kind.TEXT, false));
      case Types.CHAR, Types.NCHAR -> Optional.of(column(name, Kind.PADDED_TEXT, false));
      default -> Optional.empty();
    };
  }
}
