package io.txwatch.catalog;

import java.util.Optional;

/**
 * How the tables of a database are watched.
 *
 * @param preparer adds the auxiliary columns to a table when a statement first uses it; empty if
 *     tables are left as they are
 * @param versions where row versions come from
 */
public record CatalogMode(Optional<TablePreparer.Factory> preparer, Versions versions) {

  /** Tables are left as they are, and versions are read from the auxiliary columns. */
  public static final CatalogMode DEFAULT = new CatalogMode(Optional.empty(), Versions.COLUMNS);

  /** Where row versions come from. */
  public enum Versions {
    /**
     * The system columns on PostgreSQL 14 and later, if no table carries the auxiliary columns;
     * else the auxiliary columns.
     */
    AUTO,
    /** The auxiliary columns. */
    COLUMNS,
    /** The system columns if the DBMS has them. */
    SYSTEM,
    /** The values of rows, with the DBMS's own record of changes. */
    LOG,
    /** The values of rows, with what the statements state that they write. */
    STATEMENTS;

    /**
     * True if texts are sent as they are, and nothing of ours on the application's connections: the
     * catalog is read on {@linkplain SeparateConnection another one}.
     */
    public boolean areByValue() {
      return this == LOG || this == STATEMENTS;
    }
  }
}
