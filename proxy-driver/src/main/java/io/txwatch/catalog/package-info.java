/**
 * The live catalog: what the driver knows about the tables of a database while the application
 * runs. {@link io.txwatch.catalog.JdbcCatalog} implements the rewriter's {@link
 * io.txwatch.plan.Catalog} for one session; the sessions of one URL and user share a cache of
 * tables. A {@link io.txwatch.catalog.SchemaReader} for each DBMS queries its system catalog. A
 * lookup leaves no trace in the application's session: it runs at a moment and on a connection
 * where it is invisible, or it is postponed.
 *
 * <p>This package changes no table. With {@code txwatch.prepare=auto} it calls a {@link
 * io.txwatch.catalog.TablePreparer}, which package {@code io.txwatch.prepare} implements.
 */
@NullMarked
package io.txwatch.catalog;

import org.jspecify.annotations.NullMarked;
