package io.txwatch.history;

/**
 * The version set of a statement's predicate on one table: which version of every row of the table
 * the statement could choose from (Adya, section 4.3; TxCheck, section 3.2, VSR).
 *
 * <p>A version set is an over-approximation: the statement may have examined only some of the rows,
 * and a later version of a row need not change whether it matches. So a dependency inferred from a
 * version set is possible, unless other evidence proves that the matches changed.
 *
 * @param table the table's name, as in {@link RowAccess}
 * @param predicate identifies a row-wise predicate: whether the statement returns a row depends on
 *     that row's version alone, and the rows in the statement's event are all rows that match. This
 *     requires one table, named once; no subquery, LIMIT, DISTINCT, grouping or volatile function;
 *     and a result that the application read to its end. The ids of two statements are equal only
 *     if text and parameters are equal: then the rows that one returned match the predicate of the
 *     other, and the rows that it did not return do not. 0 in every other case, which proves
 *     nothing
 * @param rows the ids of the {@code n} rows
 * @param writers for each row the token of the version's last writer, {@code n} times {@value
 *     WriterToken#LENGTH} characters; {@link WriterToken} of transaction 0 if no watched statement
 *     has written the row
 * @param certain true if it was read in the statement's own snapshot; false if it may have used
 *     another one
 * @param places true if the rows are identified by their places in the table's files ({@link
 *     #file}), which the DBMS may rewrite: then a row has another id, and rows in other files than
 *     those of the set are not known to be missing from it
 */
public record VersionSet(
    String table, long predicate, long[] rows, String writers, boolean certain, boolean places) {

  private static final int PLACE_BITS = 48;

  /** A set of rows with ids that they keep. */
  public VersionSet(String table, long predicate, long[] rows, String writers, boolean certain) {
    this(table, predicate, rows, writers, certain, false);
  }

  /** The number, cut to 16 bits, of the file of a row that is identified by its place. */
  public static long file(long row) {
    return row >>> PLACE_BITS;
  }

  /** Validates that each row has a writer. */
  public VersionSet {
    if (writers.length() != rows.length * WriterToken.LENGTH) {
      throw new IllegalArgumentException(
          rows.length + " rows and " + writers.length() + " characters of writers");
    }
  }

  public VersionSet withoutPredicate() {
    return predicate == 0 ? this : new VersionSet(table, 0, rows, writers, certain, places);
  }

  public int size() {
    return rows.length;
  }

  /**
   * The transaction that wrote the {@code i}-th row's version, counted from 0; 0 if none is known.
   */
  public long transaction(int i) {
    return WriterToken.transaction(writers, i * WriterToken.LENGTH);
  }

  /** The statement, within its transaction, that wrote the {@code i}-th row's version. */
  public int statement(int i) {
    return WriterToken.statement(writers, i * WriterToken.LENGTH);
  }

  @Override
  public boolean equals(@org.jspecify.annotations.Nullable Object other) {
    return other instanceof VersionSet set
        && table.equals(set.table)
        && predicate == set.predicate
        && java.util.Arrays.equals(rows, set.rows)
        && writers.equals(set.writers)
        && certain == set.certain
        && places == set.places;
  }

  @Override
  public int hashCode() {
    return 31 * (31 * table.hashCode() + java.util.Arrays.hashCode(rows)) + writers.hashCode();
  }

  @Override
  public String toString() {
    return "VersionSet["
        + table
        + ", "
        + predicate
        + ", "
        + rows.length
        + " rows, "
        + certain
        + "]";
  }
}
