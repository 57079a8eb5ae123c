package io.txwatch.cli;

import io.txwatch.guarantee.Judge;
import io.txwatch.oracle.IsoRel;
import io.txwatch.oracle.Oracle;
import io.txwatch.oracle.WriteCheck;
import io.txwatch.oracle.aptrans.ApTrans;
import io.txwatch.oracle.troc.Troc;
import io.txwatch.oracle.txcheck.TxCheck;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.stream.Collectors;

/** Resolves the oracle names of {@code --oracle}. */
final class OracleNames {

  private OracleNames() {}

  /**
   * The oracles with these names; {@code all} means all of them, {@code none} means none.
   *
   * @param judge the standard that graph oracles apply to levels
   * @throws CommandException if a name is unknown
   */
  static List<Oracle> named(List<String> names, Judge judge) {
    List<Oracle> all =
        List.of(new WriteCheck(), new Troc(), new IsoRel(judge), new ApTrans(judge), new TxCheck());
    if (names.contains("all")) {
      return all;
    }
    List<Oracle> named = new ArrayList<>();
    for (String name : names) {
      if (!name.equals("none")) {
        named.add(
            all.stream()
                .filter(oracle -> oracle.name().equals(name.toLowerCase(Locale.ROOT)))
                .findFirst()
                .orElseThrow(
                    () ->
                        CommandException.badInput(
                            "--oracle "
                                + name
                                + ": expected all, none, "
                                + all.stream()
                                    .map(Oracle::name)
                                    .collect(Collectors.joining(", ")))));
      }
    }
    return named;
  }
}
