package io.txwatch.corpus;

import io.txwatch.rewrite.RewritePlanner.Level;
import io.txwatch.servers.ServerKind;
import java.util.List;

/**
 * A statement whose watched outcome differs from its raw one, or that was not observed as claimed.
 *
 * @param script the name of its script
 * @param aspect what differs: {@code outcome}, {@code tables}, {@code rejected}, {@code unobserved}
 * @param sql the statement
 * @param raw the first line that differs, raw
 * @param watched the first line that differs, watched
 * @param isPlanDependent true if only plan-dependent metadata of MySQL and MariaDB differs
 */
public record Difference(
    ServerKind kind,
    Level level,
    String script,
    String aspect,
    String sql,
    String raw,
    String watched,
    boolean isPlanDependent) {

  /** The difference between two outcomes that are not equal. */
  public static Difference of(
      ServerKind kind,
      Level level,
      String script,
      String aspect,
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
        aspect,
        sql,
        i < raw.size() ? raw.get(i) : "nothing more",
        i < watched.size() ? watched.get(i) : "nothing more",
        withoutPlanDependentMetadata(sql, raw).equals(withoutPlanDependentMetadata(sql, watched)));
  }

  /** Removes the metadata that depends on the plan; see {@link KnownDifferences}. */
  private static List<String> withoutPlanDependentMetadata(String sql, List<String> lines) {
    return lines.stream().map(line -> withoutPlanDependentMetadata(sql, line)).toList();
  }

  private static String withoutPlanDependentMetadata(String sql, String line) {
    if (!line.startsWith("column ")) {
      return line.startsWith("row ") ? line.replaceAll("\\b(?:Integer|Long) (?=-?\\d)", "") : line;
    }
    String[] fields = line.split(" \\| ", -1);
    boolean expression = fields[2].isEmpty();
    boolean number = fields[3].matches("INT|INTEGER|BIGINT");
    if (StatementTraits.usesView(sql)) {
      fields[2] = "";
    }
    if (expression && number) {
      fields[3] = fields[4] = fields[5] = fields[9] = "";
    } else if (fields[3].contains("CHAR")) {
      fields[6] = "";
    }
    fields[7] = fields[8] = "";
    return String.join(" | ", fields);
  }

  @Override
  public String toString() {
    return kind
        + " "
        + level
        + " "
        + aspect
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
