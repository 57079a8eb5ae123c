package io.txwatch.plan;

import java.util.List;

/**
 * How reports can name the rows of a table that a statement returns: where the values of the
 * table's key are known from without a further column.
 *
 * @param table the table's name as histories show it
 * @param values one for each column of the key; empty if the rows cannot be named
 */
public record RowNaming(String table, List<Value> values) {

  /** The rows of a table are not named. */
  public static final RowNaming NONE = new RowNaming("", List.of());

  /** Where the value of a column is known from. */
  public sealed interface Value {
    /** The column of the key. */
    KeyColumn column();
  }

  /**
   * A parameter that the statement compares the column with.
   *
   * @param number from 1
   */
  public record Parameter(KeyColumn column, int number) implements Value {}

  /** A literal that the statement compares the column with, as text without quotes. */
  public record Literal(KeyColumn column, String text) implements Value {}

  /**
   * A column of the application's result.
   *
   * @param index from 1
   * @param isOfStar true if its place follows from the columns that the table had when the
   *     statement was planned
   * @param convertsInPlace true if it must be read as it is stored, since a conversion would change
   *     what the application reads
   */
  public record Selected(KeyColumn column, int index, boolean isOfStar, boolean convertsInPlace)
      implements Value {}

  /**
   * What a statement contributes to the names of rows.
   *
   * @param returned one for each table whose columns were appended; empty if there is none
   * @param renamed the tables, as histories show them, whose rows may have other keys after it
   */
  public record OfStatement(List<RowNaming> returned, List<String> renamed) {
    /** Nothing. */
    public static final OfStatement NONE = new OfStatement(List.of(), List.of());
  }
}
