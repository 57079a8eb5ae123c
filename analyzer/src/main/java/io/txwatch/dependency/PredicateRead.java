package io.txwatch.dependency;

import io.txwatch.history.VersionSet;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.IdentityHashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * A read of a table by a predicate: its version set, compared with what was known of the table at
 * that time, so that the set need not be kept.
 */
final class PredicateRead {

  final Transaction reader;
  final int statement;

  /** The columns that decide which rows it chooses, as {@link ColumnBits}. */
  private final long columns;

  /**
   * The row that it found by a unique key; null if there is none. While that row has the key, no
   * other row can be chosen, whatever its other columns contain.
   */
  private final @Nullable Row foundByKey;

  /** The columns of that key. */
  private final long key;

  /** The keys of the rows that it can choose. */
  private final KeyBounds keys;

  /**
   * The files of the rows in the set, if these are identified by their places; null if they are
   * not.
   */
  private final long @Nullable [] files;

  /** {@link io.txwatch.history.VersionSet#predicate}. */
  final long predicate;

  /**
   * When the set was read, on the clock of {@link PredicateReads}. The set contains no version that
   * {@linkplain Version#appeared appeared} later, except those in {@link #uncommitted}.
   */
  long readAt;

  /** Versions in the set whose writers had not ended, as far as known. */
  final List<Version> uncommitted = new ArrayList<>(0);

  /** Surviving versions that are newer than those in the set. */
  final Map<Version, Boolean> missed = new IdentityHashMap<>(0);

  /**
   * The rows that it returned, and their versions. Only for named predicates. Ordered, so that a
   * history always yields the same result.
   */
  final Map<Row, Version> returned = new LinkedHashMap<>(0);

  /** The last writer of whom it is known to have missed a version. */
  @Nullable Transaction lastMissed;

  /**
   * Creates a read without rows.
   *
   * @param used the columns that its statement uses
   * @param foundByKey the row that it found by the key in {@code used}, if any
   * @param keys the keys of the rows that it can choose
   * @param set its version set
   */
  PredicateRead(
      Transaction reader,
      int statement,
      long predicate,
      ColumnBits.Used used,
      @Nullable Row foundByKey,
      KeyBounds keys,
      VersionSet set) {
    this.keys = keys;
    this.files =
        set.places() ? Arrays.stream(set.rows()).map(VersionSet::file).distinct().toArray() : null;
    this.columns = used.predicate();
    this.key = used.key();
    this.foundByKey = foundByKey;
    this.reader = reader;
    this.statement = statement;
    this.predicate = predicate;
  }

  /**
   * Whether the read may have chosen its rows otherwise with a version than without it. Another row
   * than the one found can get the key only by an UPDATE: it is inserted with that key only after
   * the row found was deleted or got another key, which is a change of that row. A row that has,
   * before and after the version was written, a key that the read does not look for is not chosen.
   */
  boolean mayDependOn(Version version) {
    if (keys.excludes(version.keys())) {
      return false;
    }
    boolean isOther = foundByKey != null && foundByKey != version.row;
    return !(isOther && (version.insertion || version.deletion))
        && (version.written() & columns(version.row)) != 0;
  }

  /** Whether what becomes later of the row of an uncommitted version may matter. */
  boolean mayDependOnNextOf(Version version) {
    return (foundByKey == null || foundByKey == version.row) && !keys.excludes(version.keys());
  }

  /** Whether it can choose the same rows as another one, as far as their keys show. */
  boolean isBounded() {
    return !keys.values().isEmpty();
  }

  /**
   * Whether a row is not one of those in the set under another id: true unless the DBMS may have
   * written the table again between the read and a statement that showed that id. A transaction
   * that uses a table prevents that, so the rows that it reads are in the same files. Nothing is
   * concluded from a row in another file, since either may have been before.
   */
  boolean canCompare(Row row) {
    long[] known = files;
    if (known == null) {
      return true;
    }
    long file = VersionSet.file(row.id());
    for (long one : known) {
      if (one == file) {
        return true;
      }
    }
    return false;
  }

  /**
   * Whether a version that appears after the read is newer than its set. An empty set has no file:
   * then a write that its own statement reported is newer.
   */
  boolean canPrecede(Version version) {
    return canCompare(version.row) || (files != null && files.length == 0 && version.certain);
  }

  /** The columns of a row that decide whether it is chosen. */
  long columns(Row row) {
    return foundByKey == null || foundByKey == row ? columns : key;
  }

  /** The columns of rows that it did not find that decide whether they are chosen. */
  long columnsOfOthers() {
    return foundByKey == null ? columns : key;
  }

  /** Whether the set may have contained a version. */
  boolean mayHaveSeen(Version version) {
    return version.appeared != 0 && version.appeared <= readAt && !missed.containsKey(version)
        || sawUncommitted(version);
  }

  /** Whether the set contained what a transaction wrote to a row before its end was known. */
  boolean sawUncommitted(Version version) {
    for (Version seen : uncommitted) {
      if (seen.row == version.row && seen.writer == version.writer) {
        return true;
      }
    }
    return false;
  }

  long weight() {
    return Footprint.PREDICATE_READ
        + (long) Footprint.PREDICATE_ROW * (uncommitted.size() + missed.size() + returned.size());
  }

  /** Whether its transaction ended such that nothing may be concluded from it. */
  boolean isVoid() {
    return reader.outcome != null && !reader.readsCount && !reader.committing;
  }
}
