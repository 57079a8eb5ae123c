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
 * @param onlyAutoIncrement true if nothing differs but whether columns count by themselves
 */
record Difference(
    ServerKind kind,
    Level level,
    String script,
    String what,
    String sql,
    String raw,
    String watched,
    boolean onlyAutoIncrement) {

  static Difference of(
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
        withoutAutoIncrement(raw).equals(withoutAutoIncrement(watched)));
  }

  /** Without the last but one of what is told of a column. */
  private static List<String> withoutAutoIncrement(List<String> lines) {
    return lines.stream()
        .map(l -> l.startsWith("column ") ? l.replaceAll("(true|false)(?= \\| [^|]*$)", "") : l)
        .toList();
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
