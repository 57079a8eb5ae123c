package io.txwatch.changes;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A committed transaction with the rows that it changed, in the order in which it changed them.
 * What it rolled back to a savepoint is not in it.
 *
 * @param server the server that committed it: its UUID, or its id where it has none
 * @param id the transaction's GTID; where there is none, the position at which it ends
 * @param end the position at which it ends
 * @param connectionId the id of the session that made the changes ({@code CONNECTION_ID()}); -1 if
 *     the record does not state it (MariaDB before 11.5), or another server made them
 * @param commitMicros when it committed, by the server's clock, in microseconds since 1970; -1 if
 *     not stated
 * @param commitPrecisionMicros 1, or 1 000 000 where the record states seconds alone
 * @param xid of an XA transaction, as the server writes it: {@code X'…',X'…',1}
 * @param changes the rows in order
 * @param isComplete false if changes of some tables have been left out; a {@link ChangeGap} was
 *     reported for each of them before
 */
public record ChangedTransaction(
    String server,
    String id,
    LogPosition end,
    long connectionId,
    long commitMicros,
    long commitPrecisionMicros,
    @Nullable String xid,
    List<ChangedRow> changes,
    boolean isComplete) {

  /** A transaction of immutable changes. */
  public ChangedTransaction {
    changes = List.copyOf(changes);
  }
}
