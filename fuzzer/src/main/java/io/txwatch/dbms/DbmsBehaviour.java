package io.txwatch.dbms;

import io.txwatch.history.Database;
import io.txwatch.history.IsolationLevel;
import java.util.List;
import java.util.Optional;

/**
 * What the oracles have to know of a DBMS. The defaults are those of a DBMS of which nothing
 * particular is known.
 */
public interface DbmsBehaviour {

  /**
   * The visibility rules of a level; empty if they are not known well enough to predict results.
   *
   * @param database the DBMS with the settings of the case
   */
  default Optional<Semantics> semantics(Database database, IsolationLevel level) {
    return Optional.empty();
  }

  /** What the level promises for the final state. */
  default FinalStatePromise promise(IsolationLevel level) {
    return level.compareTo(IsolationLevel.READ_COMMITTED) <= 0
        ? FinalStatePromise.STATEMENTS
        : FinalStatePromise.SNAPSHOT;
  }

  /**
   * True if transactions of this level read one snapshot each, and of two that overlap and change
   * the same row one fails, as the manual promises.
   */
  default boolean excludesConflictingWrites(IsolationLevel level) {
    return false;
  }

  /**
   * True if no promise of the manual excludes that such transactions both commit, but it is
   * reported all the same, with the name of that known behaviour.
   */
  default boolean reportsConflictingWrites(IsolationLevel level) {
    return false;
  }

  /** Which uncommitted rows a write may use at READ UNCOMMITTED. */
  enum UncommittedReads {
    /** Those of the queries in it; which rows these are is unknown. */
    IN_QUERIES,
    /** Those of the queries in it; known behaviours show which rows these are. */
    PREDICTABLE,
    /** Those of its search, too. */
    IN_SEARCHES
  }

  /** Which uncommitted rows a write may use at READ UNCOMMITTED. */
  default UncommittedReads uncommittedReads() {
    return UncommittedReads.IN_QUERIES;
  }

  /**
   * Why a statement that reads rows which its own writes change by a foreign key has no defined
   * result; empty if it has one.
   */
  default Optional<String> whyCascadesIntoReadsVary() {
    return Optional.empty();
  }

  /** Why the row versions of IsoRel cannot be recorded; empty if they can. */
  default Optional<String> whyUnwatchable() {
    return Optional.empty();
  }

  /** True if an INSERT without a column list gives a hidden column its default. */
  default boolean fillsHiddenColumns() {
    return true;
  }

  /** True if a write uses the current versions of rows, not those that a query would see. */
  default boolean writesUseCurrentVersions() {
    return false;
  }

  /** True if keys are checked against the transaction's snapshot, besides the current rows. */
  default boolean checksKeysInSnapshot() {
    return false;
  }

  /** True if the default collation treats 'a' and 'A' as equal. */
  default boolean comparesCaseInsensitively() {
    return false;
  }

  /** True if a statement's error aborts its transaction. */
  default boolean abortsTransactionOnError() {
    return false;
  }

  /** The key by which a row that is deleted and inserted again is the same row. */
  enum IdentifyingKey {
    /** None: it is another row. */
    NONE,
    /** The primary key. */
    PRIMARY_KEY,
    /** A primary key of one integer column. */
    INTEGER_PRIMARY_KEY
  }

  /** The key by which a row that is deleted and inserted again is the same row. */
  default IdentifyingKey identifyingKey() {
    return IdentifyingKey.NONE;
  }

  /** A name in quotes, as statements spell one that is not a plain word. */
  default String quoted(String name) {
    return "\"" + name.replace("\"", "\"\"") + "\"";
  }

  /** True if statements do not see the columns of {@link #addColumns} unless they name them. */
  default boolean hidesAddedColumns() {
    return false;
  }

  /** True if an INSERT without a column list needs no values for the last columns of a table. */
  default boolean insertsMayOmitLastColumns() {
    return hidesAddedColumns();
  }

  /**
   * The statements that add nullable columns to a table, hidden if possible.
   *
   * @param columns each with a name and a type
   */
  default List<String> addColumns(String table, List<String> columns) {
    return columns.stream()
        .map(column -> "ALTER TABLE " + table + " ADD COLUMN " + column)
        .toList();
  }

  /** The beginning of an INSERT that stores zero in a column that numbers rows. */
  default String insertKeepingZero() {
    return "INSERT";
  }

  /** False if {@link #insertKeepingZero} stores another number. */
  default boolean canKeepZero() {
    return true;
  }

  /**
   * Columns that identify the rows and the versions of TxCheck.
   *
   * @param key the type of a column with a generated identifier
   * @param version the type of a column of numbers, 0 by default
   */
  record VersionColumns(String key, String version) {}

  /** Columns that identify rows and versions; empty if the DBMS does not have what they need. */
  default Optional<VersionColumns> versionColumns() {
    return Optional.empty();
  }

  /** Why there are no {@link #versionColumns}, where there are none. */
  default String whyVersionsAreUnobserved() {
    return "statement dependencies are not observed on this DBMS";
  }

  /** How it records writes for APTrans; empty if it cannot. */
  default Optional<WriteRecording> writeRecording() {
    return Optional.empty();
  }
}
