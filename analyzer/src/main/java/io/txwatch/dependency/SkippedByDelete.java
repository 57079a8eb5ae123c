package io.txwatch.dependency;

/**
 * A version that matches the predicate of a DELETE in its transaction's snapshot, and which the
 * DELETE passed over: {@link io.txwatch.history.Access#SKIPPED_BY_DELETE}. It is kept among the
 * version's readers, though nobody read it, since what stands on it is what matters.
 *
 * <h2>The rule</h2>
 *
 * T2, at InnoDB's REPEATABLE READ, had a snapshot, and sent DELETE … WHERE P. Afterwards its
 * snapshot still shows row r in version v0, which matches P and is not T2's. T1's version v1 stands
 * on v0. Then wr T1→T2 by P.
 *
 * <h2>Why</h2>
 *
 * <p>The DELETE locks each row that P may match, waits for whoever holds it, and looks at its
 * newest version (MySQL 9.7 manual, 17.7.2.3 and 17.7.3). Had that been v0 it would be deleted, and
 * the snapshot, which shows a transaction its own writes, would not show it. So it was a later
 * version, or the deletion of r; v1 is that version or below it, and committed before the lock was
 * got. v0 matches P and what the DELETE saw does not, so somebody from T1 upwards changed the
 * matches (Adya 1999, section 4.3.1, item 2): T1, or one who wrote after T1. In the second case
 * T1→T2 stands for ww and wr, one behind the other, and a cycle through it is of the same class.
 *
 * <p>All of this rests on SELECT and DELETE evaluating P alike. If a DBMS does not, it is no
 * dependency that is wrong. So one thing is checked that must hold if they do: T1's write was told
 * of before the DELETE, where both are of one node, whose events come in order.
 */
final class SkippedByDelete extends Version.Read {

  SkippedByDelete(Version version, Transaction reader, int statement) {
    super(version, reader, statement, EdgeEvidence.PREDICATE);
  }

  /** Whether the DELETE saw what stands on this version, or something later. */
  boolean sawOverwriteBy(Version successor) {
    Transaction writer = successor.writer;
    if (writer == null || writer.id() >>> 32 != reader.id() >>> 32) {
      return writer != null;
    }
    long written = writer.arrived(successor.statement);
    return written == 0 || written < reader.arrived(statement);
  }
}
