package io.txwatch.corpus;

import io.txwatch.servers.ServerKind;
import java.util.List;

/**
 * Differences that are explained and accepted: metadata that depends on the plan.
 *
 * <p>MySQL and MariaDB report some metadata of a column differently if the rows come from a
 * temporary table. Whether they do depends on the plan, which depends on statistics and on the
 * length of a row. It concerns {@code isAutoIncrement}, nullability after an outer join, the
 * decimals of a string, INT or BIGINT for a computed number, and the table name of a view's column.
 */
final class KnownDifferences {

  private final ServerKind kind;
  private long planDependentCount;

  KnownDifferences(ServerKind kind) {
    this.kind = kind;
  }

  /** The differences that are not known. */
  List<Difference> unknown(List<Difference> differences) {
    return differences.stream().filter(difference -> !isKnown(difference)).toList();
  }

  private boolean isKnown(Difference difference) {
    boolean isPlanDependent =
        (kind == ServerKind.MYSQL || kind == ServerKind.MARIADB)
            && difference.aspect().equals("outcome")
            && difference.isPlanDependent();
    planDependentCount += isPlanDependent ? 1 : 0;
    return isPlanDependent;
  }

  /** The number of differences in plan-dependent metadata. */
  long planDependentCount() {
    return planDependentCount;
  }
}
