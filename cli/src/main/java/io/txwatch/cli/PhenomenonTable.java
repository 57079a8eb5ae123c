package io.txwatch.cli;

import io.txwatch.anomaly.Verdict;
import io.txwatch.campaign.Summary;
import io.txwatch.history.IsolationLevel;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.SortedMap;
import java.util.TreeMap;

/**
 * Which phenomena the cases of several campaigns showed: a line for each DBMS and level (as Table 4
 * of IsoRel and Table 2 of WriteCheck).
 */
final class PhenomenonTable {

  private PhenomenonTable() {}

  /**
   * What one campaign showed.
   *
   * @param dbms the DBMS and its version
   * @param phenomena by level: each phenomenon with its number of cases, and whether it is a
   *     violation
   */
  record Campaign(String dbms, SortedMap<IsolationLevel, List<String>> phenomena) {}

  /** Returns what a campaign showed. */
  static Campaign of(String dbms, Summary summary) {
    SortedMap<IsolationLevel, List<String>> phenomena = new TreeMap<>();
    summary
        .observed()
        .anomalies()
        .forEach(
            (kind, count) ->
                phenomena
                    .computeIfAbsent(kind.level(), level -> new ArrayList<>())
                    .add(
                        kind.phenomenon().term()
                            + " "
                            + count
                            + (kind.byDbms() == Verdict.VIOLATION ? " (violation)" : "")));
    return new Campaign(dbms, phenomena);
  }

  /** The lines of the table. */
  static List<String> text(List<Campaign> campaigns) {
    List<String> lines = new ArrayList<>();
    lines.add("phenomena by DBMS and level, with the number of cases");
    for (Campaign campaign : campaigns) {
      campaign
          .phenomena()
          .forEach(
              (level, phenomena) ->
                  lines.add(
                      String.format(
                          Locale.ROOT,
                          "%-24s %-4s %s",
                          campaign.dbms(),
                          level.shortName(),
                          String.join(", ", phenomena))));
    }
    return lines;
  }
}
