package io.txwatch.oracle;

import io.txwatch.testcase.StatementText;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** The tables that statements name, themselves or by a view. All names are in lower case. */
public final class NamedTables {

  private static final Pattern VIEW =
      Pattern.compile("(?is)^\\s*CREATE\\s+(?:OR\\s+REPLACE\\s+)?VIEW\\s+([\\w\"`]+)(.*)");
  private static final Pattern WORD = Pattern.compile("\\w+");

  private final Set<String> tables;
  private final Map<String, Set<String>> views = new HashMap<>();

  /** Creates it for the tables, and the views on them, of a set-up. */
  public NamedTables(List<String> setup, Set<String> tables) {
    this.tables = tables;
    for (String sql : setup) {
      Matcher view = VIEW.matcher(sql);
      if (view.matches()) {
        views.put(StatementText.unquoted(view.group(1)), in(view.group(2)));
      }
    }
  }

  /** The tables that a text names at any depth. */
  public Set<String> in(String sql) {
    Set<String> named = among(tables, sql);
    among(views.keySet(), sql).forEach(view -> named.addAll(views.getOrDefault(view, Set.of())));
    return named;
  }

  /** The names that occur in a text. */
  private static Set<String> among(Set<String> names, String sql) {
    Set<String> named = new HashSet<>();
    Matcher word = WORD.matcher(sql);
    while (word.find()) {
      String name = word.group().toLowerCase(Locale.ROOT);
      if (names.contains(name)) {
        named.add(name);
      }
    }
    return named;
  }
}
