package io.txwatch.report;

import io.txwatch.baseline.AcceptedAnomaly;
import io.txwatch.baseline.BaselineMatch;
import io.txwatch.report.AnomalyGroups.Group;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;

/** What a baseline accepts, as lines for a terminal. */
public final class BaselineText {

  /** More entries than these are counted only. */
  private static final int MAX_ENTRIES = 5;

  private BaselineText() {}

  /** The accepted groups, a line each, with line ends; empty if there are none. */
  public static String accepted(List<Group> groups) {
    return groups.stream()
        .filter(group -> group.accepted().isPresent())
        .map(
            group ->
                "accepted: "
                    + TextReport.line(group.first(), group.count())
                    + ": "
                    + reason(group.accepted().get())
                    + "\n")
        .collect(Collectors.joining());
  }

  /** Why and by whom it is accepted, and until when. */
  public static String reason(AcceptedAnomaly entry) {
    List<String> more = new ArrayList<>();
    if (!entry.who().isEmpty()) {
      more.add(TerminalText.escape(entry.who()));
    }
    entry.until().ifPresent(day -> more.add("until " + day));
    String reason = TerminalText.escape(entry.reason().strip().replaceAll("\\s*\\R\\s*", " "));
    return more.isEmpty() ? reason : reason + " (" + String.join(", ", more) + ")";
  }

  /**
   * What people should know of the entries: those that were accepted under another id, that accept
   * nothing, that are expired. A line each, with line ends; empty if there is nothing.
   *
   * @param file the name of the baseline file
   */
  public static String notes(BaselineMatch match, String file) {
    StringBuilder notes = new StringBuilder();
    match
        .renamed()
        .forEach(
            (id, entry) ->
                notes.append(
                    "%s: %s is %s now: an operation was renamed%n"
                        .formatted(file, entry.id(), id)));
    if (!match.expired().isEmpty()) {
      notes.append("%s: expired: %s%n".formatted(file, entries(match.expired())));
    }
    if (!match.absent().isEmpty()) {
      notes.append("%s: not found here: %s%n".formatted(file, entries(match.absent())));
    }
    return notes.toString();
  }

  private static String entries(List<AcceptedAnomaly> entries) {
    String first =
        entries.stream()
            .limit(MAX_ENTRIES)
            .map(
                entry ->
                    entry.what().isEmpty()
                        ? entry.id().toString()
                        : entry.id() + " (" + TerminalText.escape(entry.what()) + ")")
            .collect(Collectors.joining(", "));
    int others = entries.size() - MAX_ENTRIES;
    return others > 0 ? first + " and " + others + " more" : first;
  }
}
