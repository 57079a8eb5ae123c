package io.txwatch.plan;

import java.util.List;

/**
 * What a statement's own rows carry of rows that its columns cannot return: for each read one
 * hidden column, the last ones of the result, with the same text in every row. It lists the row
 * versions that a part of the statement has read: {@code 2;17:wl,18:wl}, how many rows they are, a
 * semicolon, and for each row an entry for each table of the read, {@code txw_rid}, a colon, {@code
 * txw_wl}; an entry is empty where an outer join found no row. A count without entries states that
 * they would be too many.
 *
 * @param reads a column each
 * @param places where the statement's text takes parameters of the application's once more, from 1
 * @param parameters the number, from 1, of the parameter that each of them takes
 */
public record Carried(List<Read> reads, int[] places, int[] parameters) {

  /** Nothing. */
  public static final Carried NONE = new Carried(List.of(), new int[0], new int[0]);

  /** How many entries a column has at most. */
  public static final int MAX_ENTRIES = Catalog.SMALL_TABLE_ROWS;

  /**
   * A part of a statement that has read rows.
   *
   * @param tables the tables of its entries, in order
   * @param exact true if the statement has read just these rows; false if they may be more
   * @param mayBeLost true if the statement may have read some although it returns no row
   */
  public record Read(List<String> tables, boolean exact, boolean mayBeLost) {}

  /** True if there is none. */
  public boolean isEmpty() {
    return reads.isEmpty();
  }
}
