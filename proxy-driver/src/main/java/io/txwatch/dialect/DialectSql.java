package io.txwatch.dialect;

import io.txwatch.history.StatementKind;
import io.txwatch.sql.dialect.Dialect;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;

/**
 * What can be added to a statement of a DBMS, in its own words, and what an addition would change.
 * The texts returned are SQL; parameters called {@code …List} or {@code token} are SQL expressions.
 */
public abstract class DialectSql {

  /** How a statement that writes can return the rows that it has written. */
  public enum Returning {
    /** By a clause at its end: {@code RETURNING}. */
    CLAUSE,
    /** By a query around it: {@code SELECT … FROM FINAL TABLE (…)}. */
    DELTA_TABLE,
    /** It cannot. */
    NONE
  }

  /** A protocol that counts the parameters in 16 bits. */
  protected static final int MAX_PARAMETERS_OF_PROTOCOL = 65_535;

  protected DialectSql() {}

  /** The grammar of its statements. */
  public abstract Dialect dialect();

  /** What its JDBC driver does in its own way. */
  public abstract DriverTraits driver();

  /** A stored name in quotes. */
  public String quote(String name) {
    return '"' + name.replace("\"", "\"\"") + '"';
  }

  /** How a statement of this kind can return the rows that it has written. */
  public abstract Returning returning(StatementKind kind);

  /** True if a write returns rows with columns that are qualified by its table's name. */
  public boolean qualifiesReturnedColumns() {
    return false;
  }

  /**
   * True if a row that is equal to the one before is not written: it is not counted, no trigger
   * fires, and it has no new version. A writer may then only be appended where the row changes.
   */
  public boolean skipsUnchangedRows() {
    return false;
  }

  /** True if the update count of a REPLACE counts the rows that it took away, too. */
  public boolean countsReplacedRows() {
    return false;
  }

  /**
   * True if at most one row has a key of text that is equal to a given text: it is compared by the
   * key's own collation, and not as a number.
   *
   * @param isParameter true if the application gives it as a parameter, perhaps of another type;
   *     false if it is a literal
   */
  public boolean comparesTextAsKeyDoes(boolean isParameter) {
    return !isParameter;
  }

  /** True if a column may get another integer where an INSERT gives it 0. */
  public boolean generatesForZero() {
    return false;
  }

  /** True if a session may be set so that an INSERT stores what fits instead of what it gives. */
  public boolean mayMakeValuesFit() {
    return false;
  }

  /** True if tables can get the auxiliary columns: where columns can be invisible. */
  public boolean hasAuxiliaryColumns() {
    return true;
  }

  /** True if NATURAL JOIN joins on invisible columns, too. */
  public boolean joinsInvisibleColumns() {
    return false;
  }

  /** True if {@code DEFAULT} values fill a whole row: {@code INSERT … DEFAULT VALUES}. */
  public boolean hasDefaultValues() {
    return true;
  }

  /** True if a table's name, or an alias, is a value: the whole row. */
  public boolean hasWholeRows() {
    return false;
  }

  /** A text that is converted to the type of a column of characters. */
  public String textValue(String value) {
    return value;
  }

  /** Two NULLs, of a number's and of a text's type, under these names. */
  public String nullColumns(String number, String text) {
    return "null as " + number + ", null as " + text;
  }

  /** Texts one after the other. */
  public String concatenate(String... texts) {
    return String.join(" || ", texts);
  }

  /** A text, empty where it is NULL. */
  public String orEmpty(String text) {
    return "coalesce(" + text + ", '')";
  }

  /** An aggregate: the number of rows in which an expression is not NULL, or of all: {@code *}. */
  public String count(String expression) {
    return "count(" + expression + ")";
  }

  /** A condition: the value of an expression is more than a number. */
  public String isMore(String number, int than) {
    return number + " > " + than;
  }

  /**
   * A part of a view's query, as the catalog shows it, so that it means the same on every path in
   * which a session looks up names; empty if that cannot be stated.
   */
  public Optional<String> onAnyPath(String ofView) {
    return Optional.of(ofView);
  }

  /** An aggregate: the texts of a group's rows in their order, with commas between them. */
  public abstract String orderedList(String text);

  /** An aggregate: {@code <count>;<list>} of the versions of a table's rows. */
  public abstract String versionList(VersionList list);

  /** A hint behind SELECT that lets a list be long enough; empty if none is needed. */
  public String listHint() {
    return "";
  }

  /**
   * True if one more aggregate may make the DBMS group in another way, which shows in the order of
   * the groups, or in the metadata and warnings of other columns.
   *
   * @param joins true if several sources are joined
   * @param ordered true if the query has an ORDER BY
   */
  public boolean regroupsForAggregate(boolean joins, boolean ordered) {
    return false;
  }

  /** True if distinct rows may come in another order when they have a further column. */
  public boolean reordersDistinctRows() {
    return false;
  }

  /** True if a sort with further columns may change the table that a column's metadata name. */
  public boolean renamesSortedTables() {
    return false;
  }

  /** True if a statement that locks or writes finds other versions than its subqueries do. */
  public boolean locksNewestVersions() {
    return false;
  }

  /** True if a subquery in RETURNING finds the tables as the statement found them. */
  public boolean returnsFromSnapshot() {
    return false;
  }

  /** True if every write returns its rows, so that none has to be recognized by its key. */
  public boolean returnsEveryWrite() {
    return false;
  }

  /** True if the catalog lists the columns that change by themselves in an UPDATE. */
  public boolean listsChangingColumns() {
    return false;
  }

  /** True if the time is the same within a transaction. */
  public boolean stopsTime() {
    return false;
  }

  /** True if a comparison of a text with a number warns. */
  public boolean warnsOfComparisons() {
    return false;
  }

  /** True if the WITH of a statement may stand within that statement once more. */
  public boolean takesSameWithInside() {
    return true;
  }

  /** The name of a savepoint as it is compared. */
  public String savepointName(String name, boolean quoted) {
    return name.toLowerCase(Locale.ROOT);
  }

  /**
   * True for a statement that commits the transaction that is open.
   *
   * @param verb its first word, in upper case; of LOCK TABLES and UNLOCK TABLES both
   * @param ofTemporaryTable true if it defines a temporary table
   */
  public boolean commitsImplicitly(String verb, boolean ofTemporaryTable) {
    return false;
  }

  /** A condition: the text contains the value of the one parameter. */
  public abstract String containsParameter(String text);

  /** Names, in capitals, of the aggregates that not every DBMS has. */
  public abstract Set<String> aggregates();

  /** Parameters that a statement may have. */
  public int maxParameters() {
    return MAX_PARAMETERS_OF_PROTOCOL;
  }

  /** Characters that the application's text may have if something is added to it. */
  public int maxTextLength() {
    return Integer.MAX_VALUE;
  }

  /** A stored name in quotes, in DDL. */
  public String quoteInDdl(String name) {
    return quote(name);
  }

  /** True if the DBMS itself stores in each row who has written it. */
  public boolean hasSystemVersions() {
    return false;
  }

  /** True if an INSERT may leave out rows that it was given: by a rule, or a trigger. */
  public boolean mayLeaveOutRows() {
    return false;
  }

  /**
   * True if the DBMS gives that error before it executes anything of a text, although its SQLState
   * does not report it.
   */
  public boolean mayRefuseText(int vendorCode) {
    return false;
  }

  /** True if that error ends a wait, although its SQLState may not report it. */
  public boolean endsWait(int vendorCode) {
    return false;
  }

  /** True if ROLLBACK restores the path in which the session looks up names. */
  public boolean rollbackRestoresPath() {
    return false;
  }

  /** True if a session may attach a database of its own. */
  public boolean attachesDatabases() {
    return false;
  }

  /**
   * True if a recorded change of a row that its statement does not state may be one that a trigger
   * made in the statement's own table. MySQL and MariaDB reject such triggers; elsewhere nothing
   * records the rows of others.
   */
  public boolean recordsTriggersOnTheirTable() {
    return false;
  }

  /** True if a schema on the path is the DBMS's own, or the session's for temporary tables. */
  public boolean isInternalSchema(String schema) {
    return false;
  }

  /** What a statement does to the schemas in which its session looks unqualified names up. */
  public PathChange pathChange(PathStatement statement) {
    return PathChange.NONE;
  }

  /** True if no statement but PRAGMA changes an isolation level. */
  public boolean changesLevelsByPragma() {
    return false;
  }

  /**
   * True for a statement that evaluates expressions, and does no more to its session, although
   * other DBMSs execute a program by it.
   *
   * @param verb its first word, in lower case
   */
  public boolean evaluatesBy(String verb) {
    return false;
  }

  /** True if a function cannot change the level of the transaction in which it is called. */
  public boolean keepsLevelWithinTransaction() {
    return false;
  }

  /**
   * True if a setting is the level of the session's next transactions, and not that of the open
   * one, or of the next one alone.
   *
   * @param name as it stands in the statement, in upper case
   * @param ofSession true if SESSION or LOCAL stands before it
   */
  public boolean isLevelOfSession(String name, boolean ofSession) {
    return false;
  }

  /**
   * A query of the variables that a session's isolation level depends on: name and value of each.
   * Empty if the level is what the driver returns.
   */
  public Optional<String> levelVariables() {
    return Optional.empty();
  }

  /** True if a database is all that a name without a schema is looked up in: {@code USE}. */
  public boolean hasDatabasesForSchemas() {
    return false;
  }
}
