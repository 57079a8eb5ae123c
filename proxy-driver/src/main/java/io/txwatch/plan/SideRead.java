package io.txwatch.plan;

import java.util.List;

/**
 * A read of ours beside a statement of the application's, for rows that the statement itself cannot
 * return. It is sent on the same connection and in the same transaction, it takes no lock that the
 * statement would not take, and the application must not be able to detect that it was sent.
 *
 * @param purpose what its rows are
 * @param moment when it is sent
 * @param sql its text, every value a {@code ?}; its result has the columns {@code txw_rid, txw_wl}
 *     for each of {@code tables}, and no others; of a version set's {@code txw_wl} the newest
 *     writers are enough
 * @param parameters what each {@code ?} stands for, in order: the number, from 1, of the
 *     application's parameter; {@link #TOKEN} for the statement's writer token
 * @param tables the tables of its columns, a pair each, in order
 * @param exact true if its rows are just the rows that the statement touched, given that both see
 *     the same snapshot; false if it may list more
 * @param places true if it identifies rows by their places in the table's files, {@link
 *     io.txwatch.history.VersionSet#places}
 */
public record SideRead(
    Purpose purpose,
    Moment moment,
    String sql,
    int[] parameters,
    List<String> tables,
    boolean exact,
    boolean places) {

  /** One that identifies rows by ids that they keep, or is no version set. */
  public SideRead(
      Purpose purpose,
      Moment moment,
      String sql,
      int[] parameters,
      List<String> tables,
      boolean exact) {
    this(purpose, moment, sql, parameters, tables, exact, false);
  }

  /** The same read, which may list more. */
  public SideRead inexact() {
    return new SideRead(purpose, moment, sql, parameters, tables, false, places);
  }

  /** In {@link #parameters}: the writer token of the statement. */
  public static final int TOKEN = 0;

  /** What the rows of a side read are (TxCheck, section 3.2). */
  public enum Purpose {
    /** Rows that the statement reads (behind DISTINCT, in a subquery, …). */
    READ,
    /** BWR: rows that the statement is about to delete, with the version that it deletes. */
    BEFORE_WRITE,
    /** AWR: rows that the statement has written, with the version that it made. */
    AFTER_WRITE,
    /**
     * The newest version of the row that an UPDATE found by its key, after another transaction has
     * updated it: the UPDATE may have changed nothing. A locking read, for a plain one may show an
     * older version; the UPDATE holds the lock already.
     */
    CONTENDED,
    /**
     * Rows that match the predicate of a DELETE. Sent after it, where it chooses from newer
     * versions than a plain read sees (InnoDB, REPEATABLE READ): those that it skipped. Sent before
     * it (PostgreSQL and H2, READ COMMITTED): those that it skipped if it does not return them.
     */
    SKIPPED_BY_DELETE,
    /** Rows that match the predicate of a DELETE after it was carried out, at READ COMMITTED. */
    MISSED_BY_DELETE,
    /** VSR: every row of a table that the statement's predicate is about. */
    VERSION_SET;

    /** True for rows that a DELETE did not delete, and that show what it had seen. */
    public boolean isEvidenceOfDelete() {
      return this == SKIPPED_BY_DELETE || this == MISSED_BY_DELETE;
    }
  }

  /** When a side read is sent. */
  public enum Moment {
    /** Just before the statement. */
    BEFORE,
    /** Just after it, once it succeeded; for a query, before its result is read. */
    AFTER,
    /**
     * Before or after it, which is the same but for rows that bear the statement's own token:
     * {@link #BEFORE} unless that could be noticed.
     */
    EITHER
  }
}
