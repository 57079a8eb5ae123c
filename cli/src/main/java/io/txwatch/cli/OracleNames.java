package io.txwatch.cli;

import io.txwatch.guarantee.Judge;
import io.txwatch.oracle.Oracle;
import io.txwatch.oracle.OracleKind;
import io.txwatch.oracle.registry.OracleRegistry;
import java.util.Arrays;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.function.Predicate;
import java.util.stream.Collectors;

/** Resolves the oracle names of {@code --oracle}. */
final class OracleNames {

  /** All of them, for the help of an option; a test compares it with {@link OracleKind}. */
  static final String ALL = "writecheck|troc|isorel|aptrans|txcheck|log";

  private OracleNames() {}

  /**
   * The oracles with these names; {@code all} means all of them, {@code none} means none.
   *
   * @param judge the standard that graph oracles apply to levels
   * @throws CommandException if a name is unknown
   */
  static List<Oracle> named(List<String> names, Judge judge) {
    Set<OracleKind> kinds = new LinkedHashSet<>();
    for (String name : names) {
      switch (name) {
        case "all" -> kinds.addAll(Arrays.asList(OracleKind.values()));
        case "none" -> {}
        default -> kinds.add(kind(name));
      }
    }
    return kinds.stream().map(kind -> OracleRegistry.create(kind, judge)).toList();
  }

  private static OracleKind kind(String name) {
    return OracleKind.named(name)
        .orElseThrow(
            () ->
                CommandException.badInput(
                    "--oracle " + name + ": expected all, none, " + joined(kind -> true)));
  }

  /** True if one of these oracles needs columns of its own. */
  static boolean needColumns(List<String> names) {
    return names.stream()
        .flatMap(name -> OracleKind.named(name).stream())
        .anyMatch(OracleKind::needsColumns);
  }

  /** The names of the oracles that need no columns. */
  static String withoutColumns() {
    return joined(kind -> !kind.needsColumns());
  }

  private static String joined(Predicate<OracleKind> which) {
    return Arrays.stream(OracleKind.values())
        .filter(which)
        .map(OracleKind::id)
        .collect(Collectors.joining(", "));
  }
}
