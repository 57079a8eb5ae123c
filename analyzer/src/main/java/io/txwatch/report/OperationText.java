package io.txwatch.report;

import io.txwatch.report.AnomalyGroups.Group;
import io.txwatch.report.OperationConflicts.Conflict;
import java.util.List;
import java.util.stream.Collectors;

/** Which operations conflict, as lines for a terminal. */
public final class OperationText {

  /** More pairs than these are counted only. */
  private static final int MAX_LINES = 20;

  private OperationText() {}

  /**
   * A line for each pair of operations, with line ends; empty if the application names none of the
   * transactions.
   */
  public static String of(List<Group> groups) {
    boolean named =
        groups.stream()
            .flatMap(group -> group.first().transactions().stream())
            .anyMatch(transaction -> !transaction.name().isEmpty());
    if (!named) {
      return "";
    }
    List<Conflict> conflicts = OperationConflicts.of(groups);
    StringBuilder text = new StringBuilder("operations that conflict\n");
    for (Conflict conflict : conflicts.subList(0, Math.min(MAX_LINES, conflicts.size()))) {
      text.append("  ")
          .append(TerminalText.escape(conflict.first()))
          .append(" and ")
          .append(
              conflict.first().equals(conflict.second())
                  ? "itself"
                  : TerminalText.escape(conflict.second()))
          .append("  ")
          .append(Counted.of(conflict.count(), "time"))
          .append("  ")
          .append(conflict.phenomena().stream().map(Enum::name).collect(Collectors.joining(", ")))
          .append(
              conflict.tables().isEmpty()
                  ? ""
                  : "  on " + TerminalText.escape(String.join(", ", conflict.tables())))
          .append('\n');
    }
    if (conflicts.size() > MAX_LINES) {
      text.append("  ").append(Counted.of(conflicts.size() - MAX_LINES, "more pair")).append('\n');
    }
    return text.toString();
  }
}
