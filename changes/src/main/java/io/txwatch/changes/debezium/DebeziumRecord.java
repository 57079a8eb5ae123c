package io.txwatch.changes.debezium;

import io.txwatch.changes.ChangeGap;
import io.txwatch.changes.ChangedRow;
import io.txwatch.changes.LogPosition;
import io.txwatch.changes.SchemaChange;
import org.jspecify.annotations.Nullable;

/** What a record of one of Debezium's topics states. */
public sealed interface DebeziumRecord {

  /**
   * A row was changed.
   *
   * @param transaction names its transaction: a GTID, or PostgreSQL's number; null if the record
   *     does not state it
   * @param source who committed it
   * @param place where the change is in the DBMS's log
   * @param order its place among the changes of its transaction
   * @param row the change; its statement is 0
   */
  record Change(
      @Nullable String transaction, Source source, Place place, Order order, ChangedRow row)
      implements DebeziumRecord {}

  /**
   * Who committed a change, and when.
   *
   * @param server the server's id; the connector's name on PostgreSQL
   * @param connection the id of the session; -1 if it is not stated
   * @param commitMicros by the clock of the DBMS, in microseconds since 1970; -1 if not stated.
   *     Where the precision is seconds, it may be up to a second before
   * @param precisionMicros 1, or 1 000 000
   * @param readMicros when the connector had read it, by the connector's clock
   */
  record Source(
      String server, long connection, long commitMicros, long precisionMicros, long readMicros) {}

  /**
   * Where a change is in the DBMS's log.
   *
   * @param after ascends with the order of commits; equal for the changes of one transaction on
   *     PostgreSQL
   * @param at of the change itself
   */
  record Place(LogPosition after, LogPosition at) implements Comparable<Place> {
    @Override
    public int compareTo(Place other) {
      int byCommit = after.compareTo(other.after);
      return byCommit != 0 ? byCommit : at.compareTo(other.at);
    }
  }

  /**
   * The place of a change in its transaction.
   *
   * @param row its number in the event of the log that has several rows
   * @param second true for the second one of the two that a change of a key becomes
   */
  record Order(int row, boolean second) implements Comparable<Order> {
    @Override
    public int compareTo(Order other) {
      int byRow = Integer.compare(row, other.row);
      return byRow != 0 ? byRow : Boolean.compare(second, other.second);
    }
  }

  /**
   * A transaction ended.
   *
   * @param transaction as in {@link Change}
   * @param changes how many changes it has, in all topics
   */
  record TransactionEnd(String transaction, long changes) implements DebeziumRecord {}

  /** The schema was changed, or a table emptied. */
  record Schema(SchemaChange change) implements DebeziumRecord {}

  /** It states no change: a tombstone, a snapshot, a heartbeat, the beginning of a transaction. */
  record Nothing(String why) implements DebeziumRecord {}

  /** A change that cannot be represented. */
  record Undecodable(ChangeGap gap) implements DebeziumRecord {}
}
