package io.txwatch.catalog;

import io.txwatch.history.Database;
import java.util.function.Consumer;

/**
 * Adds the auxiliary columns to a table when a statement first uses it ({@code
 * txwatch.prepare=auto}). The catalog calls it, and package {@code io.txwatch.prepare} implements
 * it, so that the catalog contains no DDL.
 */
public interface TablePreparer {

  /** The result of an attempt. */
  enum Outcome {
    /** The table has the columns: from this attempt, or from another process in the meantime. */
    PREPARED,
    /** Not possible at the moment; a later attempt may succeed. */
    LATER,
    /** Not possible; the table stays as it is. */
    NEVER
  }

  /** Prepares a table for the session, unless another session is preparing one. */
  Outcome prepare(TableInfo table, LookupContext context);

  /** True, once, if a table was postponed because of snapshots and none is open any more. */
  boolean canRetry();

  /** Creates the preparer of one database. */
  @FunctionalInterface
  interface Factory {

    /**
     * Creates it.
     *
     * @param database the DBMS
     * @param reader reads its tables
     * @param dedicated opens the connection on which tables are changed
     * @param usesApplicationConnection true if only the application's own connection reaches the
     *     database
     * @param gate keeps the sessions of this process out while a table is changed
     * @param notices receives lines for the user
     */
    TablePreparer create(
        Database database,
        SchemaReader reader,
        DedicatedConnection dedicated,
        boolean usesApplicationConnection,
        SchemaChangeGate gate,
        Consumer<String> notices);
  }
}
