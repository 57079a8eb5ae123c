package io.txwatch.rewrite;

import io.txwatch.sql.semantics.NotUnderstood;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * What a column of MySQL or MariaDB holds, as text: an expression that is another exactly if the
 * bytes stored are, and null if the column is. Its value is never empty, and has letters, digits
 * and {@code +-.: } in it, no other characters. Collations, signs of zero and trailing spaces that
 * the DBMS's own comparison overlooks is distinguished, and what it stores alike is one.
 *
 * @param expression the expression
 * @param length the most characters that its value has
 * @param isDigest true if it is a {@linkplain #digest digest}, in the connection's character set
 */
record ColumnText(String expression, int length, boolean isDigest) {

  /** Sign and point of a decimal number, and a zero before the point. */
  private static final int BESIDES_DIGITS = 3;

  /** {@code -2.2250738585072014e-308}. */
  private static final int DOUBLE = 24;

  private static final int DATE = "2000-01-01".length();
  private static final int TIME = "-838:59:59".length();

  /** Seconds since 1970, which MariaDB takes up to the year 2106. */
  private static final int INSTANT = "4294967295".length();

  /** The point and six digits. */
  private static final int FRACTION = 7;

  /** Of SHA-256, in hex. */
  private static final int DIGEST = 64;

  private static final int MAX_DIGITS = 65;

  private static final Pattern LENGTH = Pattern.compile("^[a-z]+\\((\\d{1,6})");

  /**
   * The text of a column.
   *
   * @param column the column as it can be named in the statement
   * @param type its type as the DBMS returns it, in lower case
   * @throws NotUnderstood if no expression returns its bytes
   */
  static ColumnText of(String column, String type) throws NotUnderstood {
    if (type.contains("zerofill")) {
      return digest(column); // as many zeros as its display width
    }
    String base = type.replaceAll("[^a-z].*", "");
    return switch (base) {
      case "tinyint" -> text(column, 4);
      case "smallint" -> text(column, 6);
      case "mediumint" -> text(column, 8);
      case "int" -> text(column, 11);
      case "bigint" -> text(column, 20);
      case "decimal" -> text(column, digits(type) + BESIDES_DIGITS);
      // A FLOAT shows six of its digits only. A DOUBLE(M,D) shows D of them: many, for a great one.
      case "float" -> text("cast(" + column + " as double)", DOUBLE);
      case "double" -> type.contains("(") ? digest(column) : text(column, DOUBLE);
      case "year" -> text(column, 4);
      case "date" -> text(column, DATE);
      case "time" -> text(column, TIME + FRACTION);
      case "datetime" -> text(column, DATE + 1 + TIME + FRACTION);
      case "timestamp" -> text(instant(column), INSTANT + FRACTION);
      case "char",
          "varchar",
          "binary",
          "varbinary",
          "bit",
          "tinytext",
          "text",
          "mediumtext",
          "longtext",
          "tinyblob",
          "blob",
          "mediumblob",
          "longblob",
          "enum",
          "set",
          "uuid",
          "inet",
          "geometry",
          "point",
          "linestring",
          "polygon",
          "multipoint",
          "multilinestring",
          "multipolygon",
          "geomcollection",
          "geometrycollection" ->
          digest(column);
      default ->
          throw new NotUnderstood(
              NotUnderstood.Reason.SHAPE,
              "changes of a column of type " + base + " cannot be detected");
    };
  }

  /** A TIMESTAMP, not as the session's time zone shows it: an hour of the year is there twice. */
  static String instant(String expression) {
    return "unix_timestamp(" + expression + ")";
  }

  private static ColumnText text(String expression, int length) {
    return new ColumnText(expression, length, false);
  }

  /** The digest of an expression's bytes. */
  static ColumnText digest(String expression) {
    return new ColumnText("sha2(" + expression + ", 256)", DIGEST, true);
  }

  /** An expression that can stand beside text of the writers' column. */
  String inAscii() {
    return isDigest ? "convert(" + expression + " using ascii)" : expression;
  }

  private static int digits(String type) {
    Matcher declared = LENGTH.matcher(type);
    return declared.find() ? Integer.parseInt(declared.group(1)) : MAX_DIGITS;
  }
}
