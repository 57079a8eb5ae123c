package io.txwatch.document;

import io.txwatch.anomaly.Anomaly;
import io.txwatch.history.CallSite;
import io.txwatch.report.AnomalyGroups.Group;
import java.util.List;
import java.util.Locale;

/** Phrases that several formats share. */
final class Sentences {

  private Sentences() {}

  /** The title of an anomaly: {@code Lost update}. */
  static String title(Anomaly anomaly) {
    String term = anomaly.phenomenon().term();
    return term.substring(0, 1).toUpperCase(Locale.ROOT) + term.substring(1);
  }

  /** Where and how often: {@code PostgreSQL 18.6 at READ COMMITTED, found 3 times}. */
  static String circumstances(Group group) {
    return group.first().database().product().displayName()
        + " at "
        + group.first().isolation().words()
        + (group.count() == 1
            ? ", found once"
            : String.format(Locale.ROOT, ", found %,d times", group.count()));
  }

  /** The call sites of an anomaly, each once, in the order of its statements. */
  static List<String> callSites(Anomaly anomaly) {
    return anomaly.transactions().stream()
        .flatMap(transaction -> transaction.statements().stream())
        .map(statement -> CallSite.place(statement.callSite()))
        .filter(site -> !site.isEmpty())
        .distinct()
        .toList();
  }
}
