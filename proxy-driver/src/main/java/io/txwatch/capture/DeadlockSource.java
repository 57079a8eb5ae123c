package io.txwatch.capture;

import java.sql.SQLException;
import java.util.List;
import java.util.Optional;

/** How a DBMS reports deadlocks: by which errors, and what it states of the sessions in them. */
public interface DeadlockSource {

  /** A DBMS of whose deadlocks nothing is known. */
  DeadlockSource NONE = error -> false;

  /**
   * True if the DBMS ended a deadlock by this error. False for other conflicts that a transaction
   * is repeated for, such as a failure of serialization.
   */
  boolean isDeadlock(SQLException error);

  /**
   * The numbers that the DBMS gave to the connections in the deadlock, each of which waited for the
   * next, as the error states them; empty if it does not.
   */
  default List<Long> connections(SQLException error) {
    return List.of();
  }

  /**
   * A query of which the last column of the first row describes the latest deadlock; empty if there
   * is none. It is sent on a connection of our own, once for each deadlock.
   */
  default Optional<String> statusQuery() {
    return Optional.empty();
  }

  /**
   * A query of which the last column of the first row is 0 if no COMMIT waits for locks in this
   * database; empty if none ever does. It is sent on a connection of our own.
   */
  default Optional<String> waitingCommitsQuery() {
    return Optional.empty();
  }

  /** As {@link #connections(SQLException)}, from what {@link #statusQuery} returned. */
  default List<Long> connections(String status) {
    return List.of();
  }
}
