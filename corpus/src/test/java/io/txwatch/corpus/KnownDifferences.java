package io.txwatch.corpus;

import io.txwatch.servers.ServerKind;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;

/**
 * Differences that are explained and accepted: the statements of {@code known-differences.txt}, and
 * plan-dependent metadata.
 *
 * <p>MySQL and MariaDB report some metadata of a column differently if the rows come from a
 * temporary table. Whether they do depends on the plan, which depends on statistics and on the
 * length of a row. It concerns {@code isAutoIncrement}, nullability after an outer join, the
 * decimals of a string, INT or BIGINT for a computed number, and the table name of a view's column.
 */
final class KnownDifferences {

  private final ServerKind kind;
  private final Set<String> texts;
  private final Set<String> matched = new TreeSet<>();
  private long planDependentCount;

  private KnownDifferences(ServerKind kind, Set<String> texts) {
    this.kind = kind;
    this.texts = texts;
  }

  static KnownDifferences of(ServerKind kind) {
    try (var lines = Files.lines(Path.of("src/test/resources/corpus/known-differences.txt"))) {
      return new KnownDifferences(
          kind,
          lines
              .filter(line -> line.startsWith(kind.product() + "\t"))
              .map(line -> line.substring(line.indexOf('\t') + 1))
              .collect(Collectors.toCollection(TreeSet::new)));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** None but plan-dependent metadata, where the tables are not changed. */
  static KnownDifferences of(ServerKind kind, VersionsFrom versions) {
    return versions == VersionsFrom.SYSTEM ? new KnownDifferences(kind, Set.of()) : of(kind);
  }

  /** The differences that are not known. */
  List<Difference> unknown(List<Difference> differences) {
    return differences.stream().filter(difference -> !isKnown(difference)).toList();
  }

  private boolean isKnown(Difference difference) {
    String sql = difference.sql().replace('\n', ' ');
    if (texts.contains(sql)) {
      matched.add(sql);
      return true;
    }
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

  /** The listed statements that did not differ. */
  Set<String> obsolete() {
    Set<String> obsolete = new TreeSet<>(texts);
    obsolete.removeAll(matched);
    return obsolete;
  }
}
