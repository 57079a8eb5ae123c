package io.txwatch.sql.semantics;

import java.util.ArrayList;
import java.util.List;

/**
 * The columns of one table that a statement reads and writes. A set may contain columns that the
 * statement does not use, and never lacks one that it uses.
 *
 * @param table its name, as the {@link Schema} has it
 * @param read what determines the result and the values written, those of the predicate included
 * @param predicate what determines which rows the statement chooses
 * @param written what it assigns
 * @param some those of which it is not certain that the result depends on them in each row: read of
 *     some of the table's references alone, beside OR or CASE, or only to find equal rows
 */
public record UsedColumns(
    String table, Columns read, Columns predicate, Columns written, Columns some) {

  /**
   * A set of columns.
   *
   * @param all whether it has all columns of the table
   * @param names the columns if it does not, in lower case
   */
  public record Columns(boolean all, List<String> names) {

    static final Columns ALL = new Columns(true, List.of());
    static final Columns NONE = new Columns(false, List.of());

    static Columns of(Iterable<String> names) {
      List<String> copy = new ArrayList<>();
      names.forEach(copy::add);
      return new Columns(false, List.copyOf(copy));
    }
  }
}
