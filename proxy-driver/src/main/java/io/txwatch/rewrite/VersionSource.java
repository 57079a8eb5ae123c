package io.txwatch.rewrite;

import io.txwatch.history.StatementKind;
import io.txwatch.plan.SystemColumnKey.Replaced;
import io.txwatch.sql.syntax.Source;
import io.txwatch.statement.Tables;
import java.util.Optional;
import java.util.Set;

/**
 * Where the versions of a table's rows come from: the expressions by which a statement returns the
 * identity of a row and its version. Nothing else in the rewriter depends on the kind.
 */
sealed interface VersionSource permits AuxiliaryVersionSource, SystemVersionSource {

  /**
   * The row's id, a {@code bigint} that is not null.
   *
   * @param qualifier the table's alias with its dot, or empty
   */
  String row(String qualifier);

  /** The text that identifies the row's version and its writers. */
  String version(String qualifier);

  /** The same for a write that returns its rows. */
  String written(StatementKind kind, String qualifier, Written how);

  /**
   * What a write may do to the rows that it returns.
   *
   * @param mayUpdate true for an INSERT that may update a row instead
   * @param mayChangeKey true if it may change what identifies a row
   * @param replaced how it returns the version that it replaced; empty if it does not
   */
  record Written(boolean mayUpdate, boolean mayChangeKey, Optional<Replaced> replaced) {}

  /** The ways in which a write can return the version that it replaced. */
  default Set<Replaced> replaced() {
    return Set.of();
  }

  /**
   * A condition that is true of every row. It keeps the version of the row that it is evaluated for
   * until {@link #written} returns it: {@link Replaced#KEPT}.
   */
  default String keepsReplaced(String qualifier) {
    return "true";
  }

  /** True if a row is identified by its place in a file of the table, which it may lose. */
  default boolean identifiesByPlace() {
    return false;
  }

  /** True if a write must add its token to the row, so that its version is recognized. */
  boolean marksWrites();

  /** Row and version, in a list of columns, under names that are hidden from the application. */
  default String pair(String qualifier) {
    return row(qualifier)
        + " as "
        + Auxiliary.RID
        + ", "
        + version(qualifier)
        + " as "
        + Auxiliary.WL;
  }

  /** That of a table whose versions can be read. */
  static VersionSource of(Tables tables, Source.Table table) {
    return tables
        .key(table)
        .<VersionSource>map(SystemVersionSource::new)
        .orElse(AuxiliaryVersionSource.INSTANCE);
  }

  /** Row and version of a table, in a list of columns. */
  static String pair(Tables tables, Source.Table table) {
    return of(tables, table).pair(table.exposedName() + ".");
  }
}
