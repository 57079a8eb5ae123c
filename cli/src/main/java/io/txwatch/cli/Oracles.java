package io.txwatch.cli;

import io.txwatch.oracle.Oracle;
import io.txwatch.oracle.WriteCheck;
import io.txwatch.oracle.troc.Troc;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.stream.Collectors;

/** The oracles by their names, as {@code --oracle} takes them. */
final class Oracles {

  private static final List<Oracle> ALL = List.of(new WriteCheck(), new Troc());

  private Oracles() {}

  /**
   * The oracles of these names; {@code all} is all of them, {@code none} is nobody.
   *
   * @throws CommandException if there is none of a name
   */
  static List<Oracle> named(List<String> names) {
    if (names.contains("all")) {
      return ALL;
    }
    List<Oracle> named = new ArrayList<>();
    for (String name : names) {
      if (!name.equals("none")) {
        named.add(
            ALL.stream()
                .filter(oracle -> oracle.name().equals(name.toLowerCase(Locale.ROOT)))
                .findFirst()
                .orElseThrow(
                    () ->
                        CommandException.badInput(
                            "--oracle "
                                + name
                                + ": expected all, none, "
                                + ALL.stream()
                                    .map(Oracle::name)
                                    .collect(Collectors.joining(", ")))));
      }
    }
    return named;
  }
}
