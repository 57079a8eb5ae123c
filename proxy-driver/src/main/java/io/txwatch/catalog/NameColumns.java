package io.txwatch.catalog;

import io.txwatch.plan.KeyColumn;
import io.txwatch.plan.KeyColumn.Kind;
import java.sql.Types;
import java.util.Collection;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/**
 * The columns of the key that reports name rows by, from the types of a DBMS. A column whose text
 * may differ between two sessions, or whose values are no exact ones, is of no kind; neither is a
 * key with such a column.
 */
public final class NameColumns {

  private static final Set<String> MYSQL_INTEGERS =
      Set.of("tinyint", "smallint", "mediumint", "int", "bigint");

  private NameColumns() {}

  /** The columns of a key; none if one of them is of no kind. */
  public static List<KeyColumn> known(Collection<Optional<KeyColumn>> key) {
    return key.stream().allMatch(Optional::isPresent)
        ? key.stream().flatMap(Optional::stream).toList()
        : List.of();
  }

  private static KeyColumn column(String name, Kind kind, boolean comparesExactly) {
    return new KeyColumn(name.toLowerCase(Locale.ROOT), kind, comparesExactly);
  }

  /**
   * MySQL and MariaDB. Most of their collations ignore trailing blanks, even binary ones.
   *
   * @param types the type of each column, in lower case
   * @param collations the collation of each column, in lower case
   */
  public static List<KeyColumn> ofMySql(
      List<String> key, Map<String, String> types, Map<String, String> collations) {
    return known(
        key.stream()
            .map(
                name ->
                    ofMySql(name, types.getOrDefault(name, ""), collations.getOrDefault(name, "")))
            .toList());
  }

  private static Optional<KeyColumn> ofMySql(String name, String type, String collation) {
    String base = type.replaceAll("[^a-z].*", "");
    if (MYSQL_INTEGERS.contains(base)) {
      boolean isBoolean = type.startsWith("tinyint(1)"); // drivers return true for it
      boolean isLong = !type.contains("unsigned") || !base.equals("bigint");
      boolean isPlain = !isBoolean && (isLong || !type.contains("zerofill"));
      return isPlain
          ? Optional.of(column(name, isLong ? Kind.INTEGER : Kind.NUMBER, true))
          : Optional.empty();
    }
    boolean isBinary = collation.endsWith("_bin");
    boolean keepsBlanks = collation.endsWith("_nopad_bin") || collation.endsWith("_0900_bin");
    return switch (base) {
      case "decimal", "numeric" -> Optional.of(column(name, Kind.NUMBER, false));
      case "varchar" -> Optional.of(column(name, Kind.TEXT, keepsBlanks));
      case "char" -> Optional.of(column(name, Kind.PADDED_TEXT, isBinary));
      case "uuid" -> Optional.of(column(name, Kind.UUID, true));
      case "date", "datetime" -> Optional.of(column(name, Kind.OTHER, false));
      default -> Optional.empty();
    };
  }

  /** H2. */
  public static Optional<KeyColumn> ofH2(String name, String type, String collation) {
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

  /**
   * SQLite, by the affinity of a type. A column of integers can contain text, too, unless it is the
   * row id; and the collation of a column is nowhere in its catalog.
   *
   * @param isRowId true if the row id is the key, which has no index then
   */
  public static Optional<KeyColumn> ofSqlite(String name, String declared, boolean isRowId) {
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

  /**
   * Any other DBMS, by JDBC's number of a type. How it compares text is not known.
   *
   * @param type one of {@link Types}
   */
  public static Optional<KeyColumn> ofJdbc(String name, int type) {
    return switch (type) {
      case Types.TINYINT, Types.SMALLINT, Types.INTEGER, Types.BIGINT ->
          Optional.of(column(name, Kind.INTEGER, true));
      case Types.NUMERIC, Types.DECIMAL -> Optional.of(column(name, Kind.NUMBER, false));
      case Types.VARCHAR, Types.NVARCHAR -> Optional.of(column(name, Kind.TEXT, false));
      case Types.CHAR, Types.NCHAR -> Optional.of(column(name, Kind.PADDED_TEXT, false));
      default -> Optional.empty();
    };
  }

  /** PostgreSQL. */
  public static Optional<KeyColumn> ofPostgres(String name, String type, boolean isDeterministic) {
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
