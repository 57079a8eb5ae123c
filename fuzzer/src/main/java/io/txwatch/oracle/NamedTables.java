package io.txwatch.oracle;

import io.txwatch.testcase.SqlText;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** The tables that statements name, themselves or by a view. All names are in lower case. */
public final class NamedTables {

  /** The latest token that may be the name of a view: behind CREATE OR REPLACE VIEW. */
  private static final int MAX_NAME_AT = 4;

  private final Set<String> tables;
  private final Map<String, Set<String>> views = new HashMap<>();

  /** Creates it for the tables, and the views on them, of a set-up. */
  public NamedTables(List<String> setup, Set<String> tables) {
    this.tables = tables;
    for (String sql : setup) {
      SqlText text = SqlText.of(sql);
      int name = text.indexOf(1, "VIEW") + 1;
      if (text.startsWith("CREATE") && name > 0 && name <= MAX_NAME_AT) {
        int end = text.tokens().nameEnd(name);
        views.put(text.tokens().folded(end - 1), in(text.from(end)));
      }
    }
  }

  /** The tables that a text names at any depth. */
  public Set<String> in(String sql) {
    Set<String> found = SqlText.of(sql).names();
    Set<String> named = new HashSet<>();
    for (String name : found) {
      named.addAll(views.getOrDefault(name, Set.of()));
    }
    found.retainAll(tables);
    named.addAll(found);
    return named;
  }
}
