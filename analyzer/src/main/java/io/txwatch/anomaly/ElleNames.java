package io.txwatch.anomaly;

import io.txwatch.dependency.DependencyKind;
import java.util.ArrayList;
import java.util.List;

/**
 * Elle's names for anomalies, as its reports print them (jepsen-io/elle, {@code
 * consistency_model.clj} and {@code list_append.clj}).
 */
public final class ElleNames {

  private ElleNames() {}

  /** Elle's names for an anomaly; none if Elle has none. */
  public static List<String> of(Anomaly anomaly) {
    List<String> names = new ArrayList<>();
    anomaly.phenomenon().elleName().ifPresent(names::add);
    anomaly.cycleClass().ifPresent(of -> names.add(of(of, anomaly)));
    return names;
  }

  private static String of(CycleClass cycleClass, Anomaly anomaly) {
    boolean byPredicate = anomaly.cycle().stream().anyMatch(e -> e.evidence().byPredicate());
    boolean hasItemName =
        cycleClass == CycleClass.G_SINGLE || cycleClass == CycleClass.G_NONADJACENT;
    return cycleClass.term() + (hasItemName && !byPredicate ? "-item" : "") + suffix(anomaly);
  }

  private static String suffix(Anomaly anomaly) {
    boolean realTime = anomaly.cycle().stream().anyMatch(e -> e.kind() == DependencyKind.RT);
    boolean process = anomaly.cycle().stream().anyMatch(e -> e.kind() == DependencyKind.SO);
    return realTime ? "-realtime" : process ? "-process" : "";
  }
}
