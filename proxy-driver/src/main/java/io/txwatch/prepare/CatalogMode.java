package io.txwatch.prepare;

/**
 * How the tables of a database are watched.
 *
 * @param autoPrepare true if a table gets the auxiliary columns when a statement first uses it
 * @param versions where row versions come from
 */
public record CatalogMode(boolean autoPrepare, Versions versions) {

  /** Where row versions come from. */
  public enum Versions {
    /** The system columns if they show the version that a write replaced, else the columns. */
    AUTO,
    /** The auxiliary columns. */
    COLUMNS,
    /** The system columns if the DBMS has them. */
    SYSTEM
  }
}
