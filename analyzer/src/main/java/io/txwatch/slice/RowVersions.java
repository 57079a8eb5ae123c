package io.txwatch.slice;

import io.txwatch.anomaly.Anomaly;
import io.txwatch.anomaly.ContextRead;
import io.txwatch.dependency.Dependency;
import io.txwatch.history.StatementKind;
import io.txwatch.report.RowNames;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** What happened to the versions of an anomaly's rows. */
public final class RowVersions {

  /**
   * A read or a write of a row. Versions count from 0, the one before all writes of the anomaly.
   *
   * @param column the position of the transaction in the anomaly, from 0
   * @param statement the number of the statement
   * @param isWrite whether it writes
   * @param before the version that it reads or replaces
   * @param after the version that it makes; that of {@code before} if it only reads; empty if it
   *     deletes the row
   */
  public record Step(
      int column, int statement, boolean isWrite, int before, Optional<Integer> after) {}

  private RowVersions() {}

  /** The steps of each row, by the row's name, in an order that the dependencies allow. */
  public static Map<String, List<Step>> of(Anomaly anomaly) {
    Accesses accesses = Accesses.of(anomaly);
    RowNames names = RowNames.of(anomaly);
    Map<RowId, String> rows = new LinkedHashMap<>();
    for (Dependency edge : anomaly.cycle()) {
      if (!edge.kind().isOrder()) {
        rows.putIfAbsent(RowId.of(edge), names.of(edge));
      }
    }
    Map<String, List<Step>> steps = new LinkedHashMap<>();
    rows.forEach((row, name) -> steps.put(name, steps(anomaly, accesses, row)));
    return steps;
  }

  private static List<Step> steps(Anomaly anomaly, Accesses accesses, RowId row) {
    List<Place> versions = accesses.versions(row);
    List<Step> steps = new ArrayList<>();
    for (Accesses.Step step : accesses.steps()) {
      int number = step.statement().number();
      Optional<Place> read = step.reads().get(row);
      if (read != null) {
        int version = read.map(writer -> versions.indexOf(writer) + 1).orElse(0);
        steps.add(new Step(step.column(), number, false, version, Optional.of(version)));
      }
      if (step.writes().contains(row)) {
        long transaction = anomaly.transactions().get(step.column()).id();
        int before = versions.indexOf(new Place(transaction, number));
        boolean deletes = step.statement().kind() == StatementKind.DELETE;
        steps.add(
            new Step(
                step.column(),
                number,
                true,
                before,
                deletes ? Optional.empty() : Optional.of(before + 1)));
      }
    }
    addContext(anomaly, row, steps);
    return steps;
  }

  /** Adds the reads for context, each after the write of the version that it read. */
  private static void addContext(Anomaly anomaly, RowId row, List<Step> steps) {
    for (int column = anomaly.transactions().size() - 1; column >= 0; column--) {
      for (ContextRead read : anomaly.transactions().get(column).context()) {
        int reader = column;
        if (RowId.of(read).equals(row)) {
          steps.stream()
              .filter(step -> step.isWrite() && step.column() == reader)
              .filter(step -> step.statement() == read.write())
              .findFirst()
              .ifPresent(write -> addContext(write, read.statement().number(), steps));
        }
      }
    }
  }

  private static void addContext(Step write, int statement, List<Step> steps) {
    int version = write.before();
    int at = 0;
    for (int i = 0; i < steps.size(); i++) {
      if (steps.get(i).isWrite() && steps.get(i).after().equals(Optional.of(version))) {
        at = i + 1;
      }
    }
    steps.add(at, new Step(write.column(), statement, false, version, Optional.of(version)));
  }
}
