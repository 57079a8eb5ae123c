package io.txwatch.report;

import io.txwatch.anomaly.Phenomenon;
import java.util.List;

/**
 * How an application prevents a phenomenon, in general; {@link io.txwatch.guarantee.Advice} is for
 * one anomaly on its DBMS.
 */
public final class Prevention {

  private static final String REPEATABLE_READ =
      "Run the transaction that reads at REPEATABLE READ or above, so that all its reads are of one"
          + " snapshot. If it also writes what rests on them, that is not enough on MySQL, MariaDB"
          + " and H2, whose writes use the newest rows: lock what it reads (SELECT ... FOR UPDATE),"
          + " or run it at SERIALIZABLE (not on H2).";
  private static final String READ_COMMITTED =
      "Run the transaction that reads at READ COMMITTED or above.";
  private static final String ONE_STATEMENT =
      "Read everything that must fit together in one statement.";
  private static final String LOCK =
      "Lock the rows that the decision rests on where they are read: SELECT ... FOR UPDATE.";
  private static final String SERIALIZABLE =
      "Run these transactions at SERIALIZABLE, and repeat one that is aborted (SQLSTATE 40001). On H2"
          + " this level does not prevent it: lock what they read.";
  private static final String VENDOR =
      "No level permits it: reduce it to a case and report it to the vendor.";
  private static final String RECORDING =
      "The history contradicts itself: look for values that are not unique, for a wrong recording,"
          + " or for a bug of the DBMS.";

  private Prevention() {}

  /** The ways, the simplest first. */
  public static List<String> of(Phenomenon phenomenon) {
    return switch (phenomenon) {
      case LOST_UPDATE ->
          List.of(
              "Compute the new value in the UPDATE itself: SET balance = balance - ?.",
              "Lock the row where it is read, in each transaction that writes it: SELECT ... FOR UPDATE.",
              "Add a version column, and update only the version that was read: WHERE id = ? AND"
                  + " version = ?. If the update count is 0, read again and repeat.",
              "Run these transactions at a level that aborts one of them: REPEATABLE READ on"
                  + " PostgreSQL, SERIALIZABLE on MySQL and MariaDB. Repeat the one that is"
                  + " aborted.");
      case WRITE_SKEW, G2_ITEM, READ_WRITE_SKEW ->
          List.of(
              LOCK,
              "Let both write a row that stands for the rule: the account that owns both balances,"
                  + " the shift of both doctors.",
              SERIALIZABLE);
      case PHANTOM, G2 ->
          List.of(
              "Let a constraint forbid what must not be added: UNIQUE, or an exclusion constraint.",
              "Let each transaction first update a row that stands for all rows that the query may find.",
              SERIALIZABLE);
      case READ_SKEW, FRACTURED_READ, NON_REPEATABLE_READ ->
          List.of(ONE_STATEMENT, REPEATABLE_READ);
      case LONG_FORK, G_SINGLE, G_NONADJACENT -> List.of(REPEATABLE_READ, SERIALIZABLE);
      case ABORTED_READ, INTERMEDIATE_READ -> List.of(READ_COMMITTED);
      case CIRCULAR_INFORMATION_FLOW -> List.of(SERIALIZABLE);
      case DIRTY_WRITE, INTERNAL -> List.of(VENDOR);
      case TRANSACTION_INVERSION ->
          List.of(
              "Read from the primary, not from a replica that lags behind.",
              "Use a DBMS and a level that respect the order in time, if the application relies on"
                  + " it.");
      case STALE_WRITE ->
          List.of(
              "Add a version column, keep its value with what was read (in the form, in the request),"
                  + " and update only that version: WHERE id = ? AND version = ?. If the update"
                  + " count is 0, show the newer row. JPA does so with @Version, if the entity that"
                  + " is merged has the version that was read.",
              "Read the row again in the transaction that writes it, locked (SELECT ... FOR UPDATE),"
                  + " and apply only what was edited.",
              "No isolation level prevents it: each of these transactions is correct.");
      case STALE_READ ->
          List.of(
              "Read from the primary what the same request has written or read there; send only reads"
                  + " that may be old to a standby.",
              "Wait until the standby has replayed the commit before reading there: on PostgreSQL,"
                  + " compare pg_current_wal_lsn() after the commit with"
                  + " pg_last_wal_replay_lsn() on the standby.",
              "Let a commit wait for the standby: on PostgreSQL, SET synchronous_commit ="
                  + " remote_apply, with the standby in synchronous_standby_names.",
              "No isolation level prevents it: the standby's snapshots are correct, but old.");
      case DEADLOCK ->
          List.of(
              "Let all transactions lock rows in one order: sort by the key before a loop of updates,"
                  + " and write tables in the same order everywhere.",
              "Lock everything that is written later at the beginning, in one statement: SELECT ..."
                  + " WHERE id IN (?, ?) ORDER BY id FOR UPDATE.",
              "Keep transactions short, and give the columns of conditions an index, so that a"
                  + " statement locks few rows.",
              "Repeat the transaction that was rolled back (SQLSTATE 40001, 40P01): what remains is"
                  + " rare.");
      case GARBAGE_READ, DUPLICATE_WRITE, INCOMPATIBLE_ORDER -> List.of(RECORDING);
    };
  }
}
