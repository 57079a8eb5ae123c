package io.txwatch.oracle.txcheck;

import io.txwatch.oracle.txcheck.StatementTrace.Form;
import io.txwatch.oracle.txcheck.StatementTrace.TransactionSpan;
import io.txwatch.oracle.txcheck.TracedVersion.Row;
import io.txwatch.testcase.Step;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;

/**
 * Traces of statements, a line for each statement or commit, in the order of execution:
 *
 * <pre>{@code
 * T1.1 update x0>x1 sees x0 y0
 * T2.1 query  x0    sees x0 y0
 * T1 commit
 * }</pre>
 *
 * <p>{@code x0} is version 0 of row x of the only table; {@code x0>x1} replaces it, {@code >z1}
 * inserts and {@code y0>} deletes a row. A query lists what it returned; {@code sees} is the
 * version set, {@code current} one of the current versions. A transaction begins with its first
 * line.
 */
final class Traces {

  private static final String TABLE = "t";

  private Traces() {}

  /** A statement before it is known when its transaction ends. */
  private record Line(
      int position, String name, Form form, String effects, TracedVersionSet versions) {

    String session() {
      return name.split("\\.")[0];
    }
  }

  static List<StatementTrace> of(String text) {
    List<Line> lines = new ArrayList<>();
    Map<String, Integer> begins = new HashMap<>();
    Map<String, Integer> ends = new HashMap<>();
    int position = 0;
    for (String line : text.strip().lines().toList()) {
      String[] words = line.strip().split("\\s+", 2);
      position++;
      begins.putIfAbsent(words[0].split("\\.")[0], position);
      ends.put(words[0].split("\\.")[0], position);
      if (!words[1].equals("commit")) {
        lines.add(line(position, words[0], words[1]));
      }
    }
    List<String> byEnd =
        ends.entrySet().stream()
            .sorted(Map.Entry.comparingByValue())
            .map(Map.Entry::getKey)
            .toList();
    Map<String, TransactionSpan> spans = new HashMap<>();
    ends.forEach(
        (session, end) ->
            spans.put(
                session,
                new TransactionSpan(
                    byEnd.indexOf(session) + 1, session, begins.getOrDefault(session, 0), end)));
    List<StatementTrace> traces = new ArrayList<>();
    for (Line line : lines) {
      traces.add(trace(line, Objects.requireNonNull(spans.get(line.session()))));
    }
    return traces;
  }

  private static Line line(int position, String name, String rest) {
    String[] parts = rest.split("\\s+(?=sees\\b|current\\b)");
    String[] effects = parts[0].split("\\s+", 2);
    String[] seen = parts[parts.length - 1].split("\\s+");
    Map<Row, TracedVersion> rows = new HashMap<>();
    for (int i = 1; i < seen.length && parts.length > 1; i++) {
      rows.put(version(seen[i]).row(), version(seen[i]));
    }
    TracedVersionSet.Source source =
        seen[0].equals("current")
            ? TracedVersionSet.Source.CURRENT
            : TracedVersionSet.Source.TRANSACTION;
    return new Line(
        position,
        name,
        Form.valueOf(effects[0].toUpperCase(Locale.ROOT)),
        effects.length > 1 ? effects[1] : "",
        new TracedVersionSet(TABLE, source, rows));
  }

  private static StatementTrace trace(Line line, TransactionSpan span) {
    Set<TracedVersion> read = new HashSet<>();
    List<RowWrite> writes = new ArrayList<>();
    for (String effect : line.effects().isEmpty() ? new String[0] : line.effects().split("\\s+")) {
      String[] ends = effect.split(">", -1);
      if (ends.length == 1) {
        read.add(version(effect));
      } else {
        Optional<TracedVersion> replaced = optional(ends[0]);
        Optional<TracedVersion> written = optional(ends[1]);
        writes.add(new RowWrite(replaced.or(() -> written).orElseThrow().row(), replaced, written));
      }
    }
    Step step = new Step(line.position(), line.session(), Optional.empty(), "SELECT * FROM t");
    return new StatementTrace(
        step, line.form(), span, line.position(), read, List.of(line.versions()), writes, false);
  }

  private static Optional<TracedVersion> optional(String text) {
    return text.isEmpty() ? Optional.empty() : Optional.of(version(text));
  }

  private static TracedVersion version(String text) {
    return new TracedVersion(new Row(TABLE, text.substring(0, 1)), text);
  }

  /** The dependencies of a graph, with names such as {@code 1 -ITEM_READ-> 2}. */
  static List<String> dependencies(String text) {
    return dependencies(text, false);
  }

  /** The same, perhaps of a DBMS where a write may hide another row of its key. */
  static List<String> dependencies(String text, boolean writesMayHideRows) {
    return StatementDependencyInference.graph(of(text), writesMayHideRows).dependencies().stream()
        .map(StatementDependency::toString)
        .toList();
  }
}
