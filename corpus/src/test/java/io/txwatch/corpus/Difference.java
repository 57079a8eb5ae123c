package io.txwatch.corpus;

import io.txwatch.servers.ServerKind;
import io.txwatch.sql.RewritePlanner.Level;
import java.util.List;

/**
 * A statement whose watched outcome is not its raw one, or one that was not handled as promised.
 *
 * @param script where it stands
 * @param what what differs: {@code outcome}, {@code tables}, {@code refused}, {@code unseen}
 * @param sql the application's text
 * @param raw the first line that differs, raw
 * @param watched the first line that differs, watched
 * @param onlyByPlan true if nothing differs but what MySQL and MariaDB tell of a column by the plan
 *     that they took
 */
public record Difference(
    ServerKind kind,
    Level level,
    String script,
    String what,
    String sql,
    String raw,
    String watched,
    boolean onlyByPlan) {

  /** The difference between two outcomes that are not equal. */
  public static Difference of(
      ServerKind kind,
      Level level,
      String script,
      String what,
      String sql,
      List<String> raw,
      List<String> watched) {
    int i = 0;
    while (i < raw.size() && i < watched.size() && raw.get(i).equals(watched.get(i))) {
      i++;
    }
    return new Difference(
        kind,
        level,
        script,
        what,
        sql,
        i < raw.size() ? raw.get(i) : "nothing more",
        i < watched.size() ? watched.get(i) : "nothing more",
        withoutPlan(sql, raw).equals(withoutPlan(sql, watched)));
  }

  /** Without what {@link KnownDifferences} explains. */
  private static List<String> withoutPlan(String sql, List<String> lines) {
    return lines.stream().map(line -> withoutPlan(sql, line)).toList();
  }

  private static String withoutPlan(String sql, String line) {
    if (!line.startsWith("column ")) {
      return line.startsWith("row ") ? line.replaceAll("\\b(?:Integer|Long) (?=-?\\d)", "") : line;
    }
    String[] told = line.split(" \\| ", -1);
    boolean expression = told[2].isEmpty();
    boolean number = told[3].matches("INT|INTEGER|BIGINT");
    if (Texts.isOfViews(sql)) {
      told[2] = "";
    }
    if (expression && number) {
      told[3] = told[4] = told[5] = told[9] = "";
    } else if (told[3].contains("CHAR")) {
      told[6] = "";
    }
    told[7] = told[8] = "";
    return String.join(" | ", told);
  }

  @Override
  public String toString() {
    return kind
        + " "
        + level
        + " "
        + what
        + " "
        + script
        + "\n  "
        + sql.replace("\n", "\n  ")
        + "\n    raw:     "
        + raw
        + "\n    watched: "
        + watched;
  }
}
