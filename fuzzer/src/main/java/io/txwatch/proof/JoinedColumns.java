package io.txwatch.proof;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Which columns of which tables a query of several tables returns, where its list names them with
 * their table or its alias: {@code SELECT o.id, p.name FROM owners o LEFT JOIN pets p ON …}.
 *
 * @param table the table's name; empty for an expression
 * @param column its column
 */
record JoinedColumns(String table, String column) {

  private static final Pattern LIST =
      Pattern.compile("(?is)\\s*select\\s+(?:distinct\\s+)?(.*?)\\sfrom\\s(.*)");
  private static final Pattern ITEM =
      Pattern.compile("(?i)\\s*(\\w+)\\.(\\w+)(?:\\s+(?:as\\s+)?\\w+)?\\s*");
  private static final Pattern TABLE =
      Pattern.compile("(?i)(?:^|\\bjoin\\s|,)\\s*(?:\\w+\\.)?(\\w+)(?:\\s+(?:as\\s+)?(\\w+))?");

  /**
   * The columns in the order of the list.
   *
   * @return empty if the text is another one than such a query
   */
  static List<JoinedColumns> of(String sql) {
    Matcher query = LIST.matcher(sql);
    if (!query.matches() || query.group(1).contains("(") || query.group(2).contains("(")) {
      return List.of();
    }
    Map<String, String> tables = tables(query.group(2));
    List<JoinedColumns> columns = new ArrayList<>();
    for (String item : query.group(1).split(",", -1)) {
      Matcher column = ITEM.matcher(item);
      String table = column.matches() ? tables.get(folded(column.group(1))) : null;
      columns.add(
          table == null ? new JoinedColumns("", "") : new JoinedColumns(table, column.group(2)));
    }
    return columns;
  }

  private static Map<String, String> tables(String from) {
    Map<String, String> tables = new HashMap<>();
    Matcher table = TABLE.matcher(from);
    while (table.find()) {
      String name = table.group(1);
      tables.put(folded(name), name);
      if (table.group(2) != null) {
        tables.put(folded(table.group(2)), name);
      }
    }
    return tables;
  }

  private static String folded(String name) {
    return name.toLowerCase(Locale.ROOT);
  }
}
