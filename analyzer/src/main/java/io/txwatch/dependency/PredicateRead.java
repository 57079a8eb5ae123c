package io.txwatch.dependency;

import java.util.ArrayList;
import java.util.IdentityHashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * One reading of a table by a predicate: what its version set said, held against what was known of
 * the table at that time, so that the set itself need not be kept.
 */
final class PredicateRead {

  final Transaction reader;
  final int statement;

  /** {@link io.txwatch.history.VersionSet#predicate}. */
  final long predicate;

  /**
   * When the set was read, on {@link PredicateReads}' clock: it holds no version that {@linkplain
   * Version#appeared appeared} later, but for those {@link #uncommitted}.
   */
  long readAt;

  /** VersionLookup in the set whose writers had not ended, as far as was known. */
  final List<Version> uncommitted = new ArrayList<>(0);

  /** VersionLookup that were known to have survived, and that the set is older than. */
  final Map<Version, Boolean> missed = new IdentityHashMap<>(0);

  /**
   * The rows that it returned, and in which version. Only if its predicate has a name. In their
   * order, so that the same history always tells the same.
   */
  final Map<Row, Version> returned = new LinkedHashMap<>(0);

  /** The writer of whom it is known last that it missed a version. */
  @Nullable Transaction lastMissed;

  PredicateRead(Transaction reader, int statement, long predicate) {
    this.reader = reader;
    this.statement = statement;
    this.predicate = predicate;
  }

  /** Whether the set may have held a version. */
  boolean mayHaveSeen(Version version) {
    return version.appeared != 0 && version.appeared <= readAt && !missed.containsKey(version)
        || sawUncommitted(version);
  }

  /** Whether the set held what a transaction wrote to a row before its end was known. */
  boolean sawUncommitted(Version version) {
    for (Version seen : uncommitted) {
      if (seen.row == version.row && seen.writer == version.writer) {
        return true;
      }
    }
    return false;
  }

  /** How many bytes it takes. */
  long weight() {
    return Footprint.PREDICATE_READ
        + (long) Footprint.PREDICATE_ROW * (uncommitted.size() + missed.size() + returned.size());
  }

  /** Whether its transaction ended in a way that nothing is to be concluded from. */
  boolean isVoid() {
    return reader.outcome != null && !reader.readsCount && !reader.committing;
  }
}
