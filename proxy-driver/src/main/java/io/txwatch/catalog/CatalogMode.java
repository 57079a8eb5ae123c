package io.txwatch.catalog;

import java.util.Optional;

/**
 * How the tables of a database are watched.
 *
 * @param products the DBMSs that tables can be read of
 * @param preparer adds the auxiliary columns to a table when a statement first uses it; empty if
 *     tables are left as they are
 * @param versions where row versions come from
 * @param rewrites true if more is to be observed than statements show that are sent as they are
 */
public record CatalogMode(
    CatalogProducts products,
    Optional<TablePreparer.Factory> preparer,
    Versions versions,
    boolean rewrites) {

  /** Tables are left as they are, and statements are rewritten. */
  public static CatalogMode rewriting(CatalogProducts products) {
    return new CatalogMode(products, Optional.empty(), Versions.AUTO, true);
  }

  public CatalogMode(
      CatalogProducts products, Optional<TablePreparer.Factory> preparer, Versions versions) {
    this(products, preparer, versions, false);
  }

  /** True if the user has chosen the auxiliary columns by asking for what needs them. */
  boolean needsColumns() {
    return rewrites || preparer.isPresent();
  }

  /** Where row versions come from. */
  public enum Versions {
    /**
     * The system columns on PostgreSQL 14 and later, the statements on older servers and on other
     * DBMSs of its protocol. On MySQL, MariaDB and H2 the auxiliary columns if they are there or
     * needed, else by value: from the log, the triggers or the statements, whichever of them can be
     * had first. On SQLite the statements.
     */
    AUTO,
    /** The auxiliary columns; on PostgreSQL and SQLite as {@link #AUTO}. */
    COLUMNS,
    /** The system columns if the DBMS has them; else as {@link #AUTO}. */
    SYSTEM,
    /** The values of rows, with the DBMS's own record of changes. */
    LOG,
    /** The values of rows, with what triggers in this process see (H2 in memory). */
    TRIGGERS,
    /** The values of rows, with what the statements state that they write. */
    STATEMENTS;

    /** True if texts are sent as they are, and nothing of ours on the application's connections. */
    public boolean areByValue() {
      return this == LOG || this == TRIGGERS || this == STATEMENTS;
    }

    /** Whether a record of all changes is read. */
    public boolean areRecorded() {
      return this == LOG || this == TRIGGERS;
    }
  }
}
