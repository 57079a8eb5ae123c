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
 * one rule.
 *
 * <p>The rule: what MySQL and MariaDB tell of a column besides its name and its values depends on
 * whether the row comes from the table or by way of a temporary table, which depends on the plan
 * that the server takes, and that on statistics, and on the length of the row: whether it counts by
 * itself ({@code isAutoIncrement}), whether it may be null behind an outer join, the decimals of a
 * string, whether a number that is computed is an INT or a BIGINT, and whether a column of a view
 * is named after the view or its table.
 */
final class KnownDifferences {

  private final ServerKind kind;
  private final Set<String> texts;
  private final Set<String> matched = new TreeSet<>();
  private long byRule;

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

  /** Those that are not known. */
  List<Difference> unknown(List<Difference> differences) {
    return differences.stream().filter(difference -> !isKnown(difference)).toList();
  }

  private boolean isKnown(Difference difference) {
    String sql = difference.sql().replace('\n', ' ');
    if (texts.contains(sql)) {
      matched.add(sql);
      return true;
    }
    boolean rule =
        (kind == ServerKind.MYSQL || kind == ServerKind.MARIADB)
            && difference.what().equals("outcome")
            && difference.onlyByPlan();
    byRule += rule ? 1 : 0;
    return rule;
  }

  /** How many the rule explained. */
  long byRule() {
    return byRule;
  }

  /** Listed statements that did not differ. */
  Set<String> gone() {
    Set<String> gone = new TreeSet<>(texts);
    gone.removeAll(matched);
    return gone;
  }
}
