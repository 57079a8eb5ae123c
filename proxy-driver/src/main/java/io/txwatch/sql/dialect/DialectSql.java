package io.txwatch.sql.dialect;

import io.txwatch.history.StatementKind;
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
  static final int MAX_PARAMETERS_OF_PROTOCOL = 65_535;

  DialectSql() {}

  /** A stored name in quotes. */
  public String quote(String name) {
    return '"' + name.replace("\"", "\"\"") + '"';
  }

  /** How a statement of this kind can return the rows that it has written. */
  public abstract Returning returning(StatementKind kind);

  /** True if RETURNING stands before LIMIT. */
  public boolean hasReturningBeforeLimit() {
    return false;
  }

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

  /** True if {@code *} does not show the auxiliary columns. */
  public boolean hasInvisibleColumns() {
    return true;
  }

  /** True if {@code DEFAULT} values fill a whole row: {@code INSERT … DEFAULT VALUES}. */
  public boolean hasDefaultValues() {
    return true;
  }

  /** True if {@code VALUES ()} is a row. */
  public boolean hasEmptyRows() {
    return true;
  }

  /** True if an INSERT without a column list may have fewer values than the table has columns. */
  public boolean fillsMissingColumns() {
    return false;
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

  /**
   * An expression for a new row's id, another one for each row; empty if the column's default is.
   */
  public String newRowId() {
    return "";
  }

  /** Text after text. */
  public String concatenate(String left, String right) {
    return left + " || " + right;
  }

  /** The last characters of a text, as many as there are if they are fewer. */
  public String lastCharacters(String text, int count) {
    return "right(" + text + ", " + count + ")";
  }

  /** A condition: the text contains the value of the one parameter. */
  public abstract String containsParameter(String text);

  /** Names, in capitals, of the aggregates that not every DBMS has. */
  public abstract Set<String> aggregates();

  /** True if MIN and MAX of several arguments are functions of one row. */
  public boolean hasScalarMinMax() {
    return false;
  }

  /** Parameters that a statement may have. */
  public int maxParameters() {
    return MAX_PARAMETERS_OF_PROTOCOL;
  }

  /** Characters that the application's text may have if something is added to it. */
  public int maxTextLength() {
    return Integer.MAX_VALUE;
  }

  /** Characters that a text may have after something was added to it. */
  public int maxRewrittenLength() {
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
   * True if an error with this code may be of a text that was added to, although its SQLState does
   * not begin with 42 or 54.
   *
   * @param proven true if the DBMS has executed this very text before
   */
  public boolean mayRefuseText(int vendorCode, boolean proven) {
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

  /** True if the tables must be read where an application's transaction may be in the way. */
  public boolean readsCatalogInTransactions() {
    return false;
  }
}
