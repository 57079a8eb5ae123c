package io.txwatch.generator;

import io.txwatch.dbms.SqlFeature;
import io.txwatch.sql.dialect.Dialect;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/**
 * The SQL of the statements that are generated for a DBMS. What an implementation does not override
 * is what most DBMSs support; further forms are lines of {@code productions.txt}.
 */
public interface GeneratedDialect {

  /** Its name in {@code productions.txt}. */
  String name();

  /** What the server lacks of the SQL that is generated for its product. */
  default Set<SqlFeature> missing() {
    return Set.of();
  }

  /** True if the server has a part of SQL. */
  default boolean has(SqlFeature feature) {
    return !missing().contains(feature);
  }

  /** The dialect by which its statements are read. */
  Dialect dialect();

  /** The clauses with which a query locks the rows it reads. */
  default List<String> locks() {
    return List.of("");
  }

  /** The statements that begin a transaction; the common one is repeated. */
  default List<String> begins() {
    return List.of("BEGIN");
  }

  /** True if a number may be used as a condition. */
  default boolean allowsNumericConditions() {
    return false;
  }

  /** True if a text in a condition is converted to a number or date, which may fail. */
  default boolean convertsTexts() {
    return false;
  }

  /** True if an assignment of UPDATE sees the values assigned to its left. */
  default boolean assignsInOrder() {
    return false;
  }

  /** True if {@code ROW_NUMBER} accepts an order. */
  default boolean supportsOrderedRowNumber() {
    return has(SqlFeature.WINDOW_FUNCTIONS);
  }

  /** True if WITH is supported. */
  default boolean hasCommonTableExpressions() {
    return has(SqlFeature.COMMON_TABLE_EXPRESSIONS);
  }

  /** True if WITH RECURSIVE is supported. */
  default boolean hasRecursion() {
    return has(SqlFeature.RECURSION);
  }

  /** The statement that sets a savepoint; empty if savepoints are not supported. */
  default Optional<String> savepoint(String name) {
    return Optional.of("SAVEPOINT " + name);
  }

  /** The statement that releases a savepoint; empty if there is none. */
  default Optional<String> release(String name) {
    return Optional.of("RELEASE SAVEPOINT " + name);
  }

  /** The clause after INSERT that skips duplicate keys, if there is one. */
  default String ignore() {
    return "";
  }

  /** The same clause at the end of the statement. */
  default String doNothing() {
    return "";
  }

  /** True if one statement inserts a row or updates the one that exists. */
  default boolean hasUpsert() {
    return true;
  }

  /** True if this statement is MERGE, rather than INSERT with a clause. */
  default boolean upsertsByMerge() {
    return false;
  }

  /** The clause of INSERT before the assignments to a row with the same key. */
  default String onDuplicate(String key) {
    return " ON CONFLICT (" + key + ") DO UPDATE SET ";
  }

  /** In an upsert, the value that was to be inserted. */
  default String incoming(String column) {
    return "EXCLUDED." + column;
  }

  /** True if REPLACE is supported. */
  default boolean hasReplace() {
    return false;
  }

  /** The literal of a date. */
  default String date(String day) {
    return "DATE '" + day + "'";
  }

  /** The literal of a column's default. */
  default String defaultLiteral(String literal) {
    return literal;
  }

  /** The clause that limits the number of a query's rows. */
  default String limit(int rows) {
    return " LIMIT " + rows;
  }

  /** True if UPDATE and DELETE accept ORDER BY and LIMIT. */
  default boolean limitsWrites() {
    return false;
  }

  /** True if this kind of write may join its table with others. */
  default boolean canJoin(String kind) {
    return false;
  }

  /** True if it does so with JOIN, rather than with a list of tables behind FROM or USING. */
  default boolean writesWithJoin() {
    return false;
  }

  /** True if UPDATE and DELETE accept a preceding WITH. */
  default boolean allowsWithBeforeWrite() {
    return false;
  }

  /** True if WITH accepts a write. */
  default boolean allowsWriteInWith() {
    return false;
  }

  /** True if this kind of write may return the written rows. */
  default boolean supportsReturning(String kind) {
    return false;
  }

  /** True if {@code = ANY (SELECT …)} is supported. */
  default boolean hasQuantifiers() {
    return true;
  }

  /** True if the condition of a join may contain subqueries. */
  default boolean allowsSubqueryInJoin() {
    return true;
  }

  /** The actions of a foreign key on DELETE; those with SET apply only to nullable columns. */
  default List<String> onDelete() {
    return List.of("CASCADE", "SET NULL", "RESTRICT", "NO ACTION");
  }

  /** The actions of a foreign key on UPDATE. */
  default List<String> onUpdate() {
    return onDelete();
  }

  /** True if triggers see what the actions of foreign keys write. */
  default boolean actionsFireTriggers() {
    return false;
  }

  /**
   * The ways to partition a table by {@code c0}; empty if partitioned tables are not supported.
   *
   * @param bound a value of {@code c0} between two partitions
   * @param hasGaps true if some rows may fit no partition
   */
  default List<Partitions> partitions(int bound, boolean hasGaps) {
    return List.of();
  }

  /** True if partitioned tables may have foreign keys, and be referenced by them. */
  default boolean partitionsSupportForeignKeys() {
    return false;
  }

  /** True if constraints are checked against rows that the statement itself removes. */
  default boolean checksEagerly() {
    return false;
  }
}
