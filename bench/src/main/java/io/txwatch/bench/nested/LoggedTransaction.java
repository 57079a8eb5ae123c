package io.txwatch.bench.nested;

import java.util.ArrayList;
import java.util.List;

/**
 * What the application itself noted of a transaction. Times are those of {@link System#nanoTime}
 * before and after a call.
 */
final class LoggedTransaction {

  /** What its name begins with; its number follows. */
  static final String NAME = "nested ";

  /** The most statements of one, which its versions' numbers have room for. */
  static final int MAX_STATEMENTS = 16;

  /** A statement. */
  sealed interface Logged {
    /** Before its call. */
    long started();

    /** After its call. */
    long ended();
  }

  /** A query and what it returned. */
  record Query(NestedQuery query, String result, long started, long ended) implements Logged {}

  /**
   * An UPDATE of one row.
   *
   * @param columns the bits of the columns that it assigned
   * @param version the number of the version that it made
   */
  record Write(String table, long id, int columns, long version, long started, long ended)
      implements Logged {}

  final long number;

  /** Whether its connection is watched. */
  final boolean watched;

  final List<Logged> statements = new ArrayList<>();
  long commitStarted = Long.MAX_VALUE;
  long commitEnded = Long.MAX_VALUE;

  LoggedTransaction(long number) {
    this(number, true);
  }

  LoggedTransaction(long number, boolean watched) {
    this.number = number;
    this.watched = watched;
  }

  /** The number of the version that its next statement makes. */
  long nextVersion() {
    return number * MAX_STATEMENTS + statements.size();
  }

  /** The number of the transaction that made a version; negative if it is an initial one. */
  static long writerOf(long version) {
    return Math.floorDiv(version, (long) MAX_STATEMENTS);
  }

  boolean committed() {
    return commitEnded != Long.MAX_VALUE;
  }
}
