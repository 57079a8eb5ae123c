package io.txwatch.dependency;

/**
 * A version that matches the predicate of a DELETE, was visible before it, and was skipped by it:
 * {@link io.txwatch.history.Access#SKIPPED_BY_DELETE}. It is kept among the version's readers,
 * although it is no read, because the next version matters.
 *
 * <h2>The rule</h2>
 *
 * T2 executed DELETE … WHERE P. Row r in version v0, which is not T2's, matches P. T1's version v1
 * is the next version after v0 that wrote a column of P. Then wr T1→T2 by P, in two cases:
 *
 * <ul>
 *   <li>At InnoDB's REPEATABLE READ, if T2 had a snapshot before the DELETE, which still shows v0
 *       afterwards.
 *   <li>At READ COMMITTED of PostgreSQL and H2, if T2 had read v0 just before the DELETE, and r is
 *       not among the rows that the DELETE returned.
 * </ul>
 *
 * <h2>Why</h2>
 *
 * <p>InnoDB's DELETE locks each row that P may match, waits for the lock's holder, and evaluates P
 * on the newest version (MySQL 9.7 manual, 17.7.2.3 and 17.7.3). Had that been v0, it would be
 * deleted, and the snapshot, which shows a transaction its own writes, would not show it.
 * PostgreSQL's DELETE takes the rows that match P in a snapshot of its own, waits for a writer of
 * such a row, and evaluates P again on the version that this writer committed (PostgreSQL 18,
 * 13.2.1); H2's does the same. Had v0 been the newest version, it would be deleted, and returned.
 *
 * <p>So the DELETE saw a later version or the deletion of r. v1 is that version or an earlier one,
 * and committed before the DELETE ended. v0 matches P and the version that the DELETE read does
 * not, so T1 or a later writer changed the matches (Adya 1999, section 4.3.1, item 2). In the
 * second case T1→T2 represents ww and wr in sequence, and a cycle through it has the same class.
 *
 * <p>This assumes that SELECT and DELETE evaluate P alike. If a DBMS does not, that is not a wrong
 * dependency. One consequence of the assumption is therefore checked: T1's write arrived before the
 * DELETE, if both are of one node, whose events arrive in order.
 */
final class SkippedByDelete extends Version.Read {

  /**
   * A version that was skipped.
   *
   * @param predicate the columns of the predicate
   */
  SkippedByDelete(Version version, Transaction reader, int statement, long predicate) {
    super(version, reader, statement, EdgeEvidence.PREDICATE, predicate, false);
  }

  /** Whether the DELETE saw the version after this one, or a later one. */
  boolean sawOverwriteBy(Version successor) {
    Transaction writer = successor.writer;
    if (writer == null || writer.id() >>> 32 != reader.id() >>> 32) {
      return writer != null;
    }
    long written = writer.arrived(successor.statement);
    return written == 0 || written < reader.arrived(statement);
  }

  @Override
  boolean returned() {
    return false;
  }
}
