package io.txwatch.prepare;

/**
 * How the tables of a database are watched.
 *
 * @param autoPrepare true if a table gets the auxiliary columns when a statement first uses it
 * @param systemColumns true if row versions are read from the DBMS's system columns where there are
 *     any (PostgreSQL)
 */
public record CatalogMode(boolean autoPrepare, boolean systemColumns) {}
