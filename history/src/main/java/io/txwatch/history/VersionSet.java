package io.txwatch.history;

/**
 * The version set of a statement's predicate on one table: which version of every row of the table
 * the statement could choose from (Adya, section 4.3; TxCheck, section 3.2, VSR).
 *
 * <p>It over-counts: a statement may have looked at some rows only, and a later version of a row in
 * the set need not change what the predicate matches. So a dependency through a version set is
 * possible unless something else proves that the matches changed.
 *
 * @param table the table's name, as in {@link RowAccess}
 * @param predicate names a row-wise predicate: whether the statement returns a row depends on that
 *     row's version alone, and the rows that the statement's event tells of are all that match. So:
 *     one table, once; no subquery, no LIMIT, no DISTINCT or grouping, nothing volatile; a result
 *     that the application read to its end. Equal for two statements only if their text and their
 *     parameters are equal: then the rows that the one returned match the predicate of the other,
 *     and those that it did not return do not. 0 in every other case; nothing is proven then
 * @param rows the rows' ids, {@code n} of them
 * @param writers for each row the token of the version's last writer, {@code n} times {@value
 *     WriterToken#LENGTH} characters; {@link WriterToken} of transaction 0 where no watched
 *     statement has written the row
 * @param certain true if it was read in the statement's own snapshot; false if it may have seen
 *     another one
 */
public record VersionSet(
    String table, long predicate, long[] rows, String writers, boolean certain) {

  /** Checks that each row has a writer. */
  public VersionSet {
    if (writers.length() != rows.length * WriterToken.LENGTH) {
      throw new IllegalArgumentException(
          rows.length + " rows and " + writers.length() + " characters of writers");
    }
  }

  /** The same without a name for its predicate. */
  public VersionSet withoutPredicate() {
    return predicate == 0 ? this : new VersionSet(table, 0, rows, writers, certain);
  }

  /** How many rows it has. */
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
        && certain == set.certain;
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
