package io.txwatch.interleave;

import io.txwatch.anomaly.Anomaly;
import io.txwatch.report.AnomalyGroups;
import io.txwatch.report.TextReport;
import java.util.ArrayList;
import java.util.List;

/**
 * What was found by executing operations in different orders.
 *
 * @param verdict whether an order gives what no order of whole operations gives
 * @param reason why, in a sentence
 * @param bound which orders were executed: {@code all orders}, {@code 3 preemptions and 100 random
 *     orders}; empty if none were to be
 * @param executions how many orders were executed, without those of whole operations
 * @param schedule the calls of the order that shows the race, in their order: {@code buy A: SELECT
 *     …}; empty if there is none
 * @param anomalies those that the dependency graph of that order shows; empty if there are none, or
 *     the operations' connections are not analysed in this process
 * @param notes what else was noticed, a sentence each
 */
public record Interleaved(
    Verdict verdict,
    String reason,
    String bound,
    int executions,
    List<String> schedule,
    List<Anomaly> anomalies,
    List<String> notes) {

  /** The verdicts. */
  public enum Verdict {
    /** An order of calls gives what no order of whole operations gives. */
    RACE,
    /** No order within the bound does. */
    SAFE,
    /** It could not be decided. */
    UNDECIDED
  }

  /** Nothing could be decided, after some executions. */
  public static Interleaved undecided(String reason, int executions, List<String> notes) {
    return new Interleaved(Verdict.UNDECIDED, reason, "", executions, List.of(), List.of(), notes);
  }

  public Interleaved {
    schedule = List.copyOf(schedule);
    anomalies = List.copyOf(anomalies);
    notes = List.copyOf(notes);
  }

  /** All of it, for people. */
  @Override
  public String toString() {
    StringBuilder text = new StringBuilder();
    text.append(verdict).append(": ").append(inLines(reason));
    text.append(" (").append(executions).append(" orders executed)");
    for (String line : schedule) {
      text.append("\n  ").append(line);
    }
    for (String note : notes) {
      text.append("\n  note: ").append(note);
    }
    AnomalyGroups groups = new AnomalyGroups();
    anomalies.forEach(groups::add);
    groups.groups().forEach(group -> text.append("\n\n").append(TextReport.of(group)));
    return text.toString();
  }

  /** A reason that states what was expected, with a line for each possibility. */
  private static String inLines(String reason) {
    return reason
        .replace(Difference.EXPECTED, ";\n  " + Difference.EXPECTED.substring(2))
        .replace(Difference.OR, ",\n    " + Difference.OR.substring(2));
  }

  /** The same, with one note more. */
  Interleaved withNote(String note) {
    List<String> all = new ArrayList<>(notes);
    all.add(note);
    return new Interleaved(verdict, reason, bound, executions, schedule, anomalies, all);
  }
}
