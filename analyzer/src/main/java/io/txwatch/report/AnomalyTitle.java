package io.txwatch.report;

import io.txwatch.anomaly.Anomaly;
import io.txwatch.anomaly.ObservedTransaction;
import io.txwatch.dependency.Dependency;
import io.txwatch.history.CallSite;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;

/**
 * What a kind of anomaly is, in one line without lines of code, values and levels: {@code
 * LOST_UPDATE of BankService.withdraw on account}.
 */
public final class AnomalyTitle {

  private AnomalyTitle() {}

  /** The title. */
  public static String of(Anomaly anomaly) {
    Set<String> operations =
        anomaly.transactions().stream()
            .map(AnomalyTitle::operation)
            .filter(name -> !name.isEmpty())
            .collect(Collectors.toCollection(TreeSet::new));
    Set<String> tables =
        anomaly.cycle().stream()
            .map(Dependency::table)
            .filter(table -> !table.isEmpty())
            .collect(Collectors.toCollection(TreeSet::new));
    return anomaly.phenomenon().name()
        + (operations.isEmpty() ? "" : " of " + String.join(", ", operations))
        + (tables.isEmpty() ? "" : " on " + String.join(", ", tables));
  }

  /** The name of a transaction, else the methods that execute its statements. */
  private static String operation(ObservedTransaction transaction) {
    if (!transaction.name().isEmpty()) {
      return transaction.shortName();
    }
    return transaction.statements().stream()
        .map(
            statement ->
                CallSite.shown(statement.callSite())
                    .replaceFirst(" \\(.*|:\\d+( \\(usually\\))?$", ""))
        .filter(method -> !method.isEmpty())
        .distinct()
        .collect(Collectors.joining("+"));
  }
}
