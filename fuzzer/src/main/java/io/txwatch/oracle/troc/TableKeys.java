package io.txwatch.oracle.troc;

import io.txwatch.oracle.SqlLists;
import io.txwatch.testcase.StatementText;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * The primary keys and the indexed columns of tables, parsed from their definitions. Names are in
 * lower case, without quotes.
 */
public final class TableKeys {

  private static final Pattern TABLE =
      Pattern.compile(
          "(?is)^\\s*CREATE\\s+(?:TEMPORARY\\s+)?TABLE\\s+(?:IF\\s+NOT\\s+EXISTS\\s+)?"
              + "([\\w\"`]+)\\s*\\((.*)\\).*");
  private static final Pattern INDEX =
      Pattern.compile(
          "(?is)^\\s*CREATE\\s+(?:UNIQUE\\s+)?INDEX\\s+\\S+\\s+ON\\s+([\\w\"`]+)\\s*\\(([^)]*)\\).*");
  private static final Pattern PRIMARY_KEY =
      Pattern.compile("(?is)^(?:CONSTRAINT\\s+\\S+\\s+)?PRIMARY\\s+KEY\\s*\\(([^)]*)\\).*");
  private static final Pattern KEY =
      Pattern.compile(
          "(?is)^(?:CONSTRAINT\\s+\\S+\\s+)?(?:UNIQUE|KEY|INDEX|FOREIGN\\s+KEY)\\b[^(]*\\(([^)]*)\\).*");
  private static final Pattern PARTITION =
      Pattern.compile(
          "(?is).*\\bPARTITION\\s+BY\\s+(?:LINEAR\\s+)?(?:LIST|RANGE|HASH|KEY)(?:\\s+COLUMNS)?"
              + "\\s*\\(([^)]*)\\).*");
  private static final Pattern CHECK =
      Pattern.compile("(?is)^(?:CONSTRAINT\\s+\\S+\\s+)?CHECK\\b.*");
  private static final Pattern COLUMN = Pattern.compile("(?is)^([\\w\"`]+)\\s+(.*)");
  private static final Pattern COLUMN_PRIMARY_KEY =
      Pattern.compile("(?i)\\bPRIMARY\\s+KEY\\b|\\{AUTOINC\\}");
  private static final Pattern COLUMN_UNIQUE = Pattern.compile("(?i)\\bUNIQUE\\b");
  private static final Pattern INTEGER =
      Pattern.compile("(?i)^(TINYINT|SMALLINT|INT|INTEGER|BIGINT)\\b.*");

  private final Map<String, List<String>> primaryKeys = new HashMap<>();
  private final Map<String, Set<String>> placingColumns = new HashMap<>();
  private final Map<String, List<String>> partitionColumns = new HashMap<>();
  private final Map<String, Set<String>> integerColumns = new HashMap<>();

  private TableKeys() {}

  /** The keys that a set-up defines. */
  public static TableKeys of(List<String> setup) {
    TableKeys keys = new TableKeys();
    for (String sql : setup) {
      Matcher table = TABLE.matcher(sql);
      Matcher index = INDEX.matcher(sql);
      Matcher partition = PARTITION.matcher(sql);
      if (table.matches()) {
        String name = StatementText.unquoted(table.group(1));
        SqlLists.split(SqlLists.beforeClosing(table.group(2)))
            .forEach(part -> keys.addPart(name, part));
        if (partition.matches()) {
          keys.partitionColumns.put(name, names(partition.group(1)));
          keys.addIndex(name, names(partition.group(1)));
        }
      } else if (index.matches()) {
        keys.addIndex(StatementText.unquoted(index.group(1)), names(index.group(2)));
      }
    }
    return keys;
  }

  private void addPart(String table, String part) {
    Matcher primary = PRIMARY_KEY.matcher(part);
    Matcher key = KEY.matcher(part);
    Matcher column = COLUMN.matcher(part);
    if (primary.matches()) {
      primaryKeys.put(table, names(primary.group(1)));
      addIndex(table, names(primary.group(1)));
    } else if (key.matches()) {
      addIndex(table, names(key.group(1)));
    } else if (!CHECK.matcher(part).matches() && column.matches()) {
      String name = StatementText.unquoted(column.group(1));
      if (INTEGER.matcher(column.group(2)).matches()) {
        integerColumns.computeIfAbsent(table, first -> new HashSet<>()).add(name);
      }
      if (COLUMN_PRIMARY_KEY.matcher(column.group(2)).find()) {
        primaryKeys.put(table, List.of(name));
        addIndex(table, List.of(name));
      } else if (COLUMN_UNIQUE.matcher(column.group(2)).find()) {
        addIndex(table, List.of(name));
      }
    }
  }

  private void addIndex(String table, List<String> columns) {
    placingColumns.computeIfAbsent(table, first -> new HashSet<>()).addAll(columns);
  }

  /** The columns of a table's primary key; empty if it has none. */
  List<String> primaryKey(String table) {
    return primaryKeys.getOrDefault(StatementText.unquoted(table), List.of());
  }

  /**
   * The columns whose change makes InnoDB store another row: those of the primary key, and those
   * that select a partition.
   */
  List<String> identifyingColumns(String table) {
    List<String> columns = new ArrayList<>(primaryKey(table));
    columns.addAll(partitionColumns.getOrDefault(StatementText.unquoted(table), List.of()));
    return columns;
  }

  /** The only column of a table's primary key, if it is an integer. */
  Optional<String> integerPrimaryKey(String table) {
    List<String> key = primaryKey(table);
    return key.size() == 1
            && integerColumns
                .getOrDefault(StatementText.unquoted(table), Set.of())
                .contains(key.get(0))
        ? Optional.of(key.get(0))
        : Optional.empty();
  }

  /** The columns that determine where a row is stored: those of any key, index or partition. */
  public Set<String> placingColumns(String table) {
    return placingColumns.getOrDefault(StatementText.unquoted(table), Set.of());
  }

  private static List<String> names(String list) {
    List<String> names = new ArrayList<>();
    SqlLists.split(list)
        .forEach(name -> names.add(StatementText.unquoted(name.split("[\\s(]", 2)[0])));
    return names;
  }
}
