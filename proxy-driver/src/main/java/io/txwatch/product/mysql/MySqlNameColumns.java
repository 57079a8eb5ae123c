package io.txwatch.product.mysql;

import static io.txwatch.catalog.NameColumns.column;
import static io.txwatch.catalog.NameColumns.known;

import io.txwatch.plan.KeyColumn;
import io.txwatch.plan.KeyColumn.Kind;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/** The columns of the key that reports name rows by, from the types of MySQL and MariaDB. */
final class MySqlNameColumns {

  private static final Set<String> INTEGERS =
      Set.of("tinyint", "smallint", "mediumint", "int", "bigint");

  private MySqlNameColumns() {}

  /**
   * The columns of a key; none if one of them is of no kind. Most collations ignore trailing
   * blanks, even binary ones.
   *
   * @param types the type of each column, in lower case
   * @param collations the collation of each column, in lower case
   */
  static List<KeyColumn> of(
      List<String> key, Map<String, String> types, Map<String, String> collations) {
    return known(
        key.stream()
            .map(name -> of(name, types.getOrDefault(name, ""), collations.getOrDefault(name, "")))
            .toList());
  }

  private static Optional<KeyColumn> of(String name, String type, String collation) {
    String base = type.replaceAll("[^a-z].*", "");
    if (INTEGERS.contains(base)) {
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
}
