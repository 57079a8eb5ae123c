package io.txwatch.dependency;

import io.txwatch.history.Event;
import io.txwatch.history.RowAccess;
import io.txwatch.history.VersionSet;
import io.txwatch.history.WriterList;
import io.txwatch.history.WriterToken;

/**
 * A version that matches the predicate of a DELETE, exists after it, and was not deleted by it:
 * {@link io.txwatch.history.Access#MISSED_BY_DELETE}. It is kept among the version's readers,
 * although the DELETE did not read it.
 *
 * <h2>The rule</h2>
 *
 * T2, at READ COMMITTED of PostgreSQL or H2, executed DELETE … WHERE P. The next statement of T2, a
 * query with P, shows row r in version v, which is not T2's, and which the version set that was
 * read before the DELETE does not contain. T1 wrote the last version up to v that wrote a column of
 * P. Then rw T2→T1 by P.
 *
 * <h2>Why</h2>
 *
 * <p>The DELETE takes the rows that match P in its snapshot, and if one of them was changed since,
 * evaluates P on the newest version. Let u be the version of r that it saw first. If u matched P,
 * the DELETE waited for the writers of r and evaluated P on the newest version: v, which matches,
 * or a version before v that does not. In both cases, and if u does not match or r did not exist,
 * the DELETE saw r last in a version before v that does not match P, for it would have deleted one
 * that does. The columns of P have in v the values that T1 gave them, so that version is older than
 * T1's, and T1 changed the matches (Adya 1999, section 4.3.1, item 3) or a writer before T1 did. In
 * the second case T2→T1 represents rw and ww in sequence, and a cycle through it has the same
 * class.
 *
 * <p>The version set matters because a write that is not watched, such as one of a trigger of the
 * DELETE, leaves the token of the row's previous writer: the row then matches, and v is older than
 * the DELETE. Ids that the DBMS gives identify each version, and need no set.
 */
final class MissedByDelete extends Version.Read {

  /**
   * A version that was missed.
   *
   * @param predicate the columns of the predicate
   */
  MissedByDelete(Version version, Transaction reader, int statement, long predicate) {
    super(version, reader, statement, EdgeEvidence.PREDICATE, predicate, false);
  }

  /** Whether a version may have existed before the DELETE, as far as its version set shows. */
  static boolean mayHaveBeenThere(Event.StatementExecuted delete, RowAccess access) {
    WriterList writers = access.writers();
    int last = writers.size() - 1;
    if (last < 0) {
      return true;
    }
    if (writers.statement(last) == WriterToken.BY_DBMS) {
      return false;
    }
    for (VersionSet set : delete.versionSets()) {
      if (set.table().equals(access.table())) {
        long[] rows = set.rows();
        for (int i = 0; i < rows.length; i++) {
          if (rows[i] == access.row()) {
            return set.transaction(i) == writers.transaction(last)
                && set.statement(i) == writers.statement(last);
          }
        }
        return false;
      }
    }
    return true;
  }

  @Override
  boolean returned() {
    return false;
  }
}
