package io.txwatch.oracle.troc;

import io.txwatch.sql.semantics.IndexDefinition;
import io.txwatch.sql.semantics.TableDefinition;
import io.txwatch.sql.semantics.TableDefinition.Attribute;
import io.txwatch.sql.semantics.TableDefinition.Element;
import io.txwatch.sql.semantics.TableDefinition.Kind;
import io.txwatch.sql.syntax.Span;
import io.txwatch.sql.syntax.Tokens;
import io.txwatch.testcase.SqlText;
import io.txwatch.testcase.StatementText;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.IntStream;

/**
 * The primary keys and the indexed columns of tables, parsed from their definitions. Names are in
 * lower case, without quotes.
 */
public final class TableKeys {

  private static final Set<String> INTEGERS =
      Set.of("TINYINT", "SMALLINT", "INT", "INTEGER", "BIGINT");

  private final Map<String, List<String>> primaryKeys = new HashMap<>();
  private final Map<String, Set<String>> placingColumns = new HashMap<>();
  private final Map<String, List<String>> partitionColumns = new HashMap<>();
  private final Map<String, Set<String>> integerColumns = new HashMap<>();

  private TableKeys() {}

  /** The keys that a set-up defines. */
  public static TableKeys of(List<String> setup) {
    TableKeys keys = new TableKeys();
    for (String sql : setup) {
      Tokens tokens = SqlText.of(sql).tokens();
      TableDefinition.of(tokens).ifPresent(table -> keys.add(tokens, table));
      IndexDefinition.of(tokens).ifPresent(index -> keys.addIndex(index.table(), index.columns()));
    }
    return keys;
  }

  private void add(Tokens tokens, TableDefinition table) {
    for (Element element : table.elements()) {
      boolean isPrimary =
          element.kind() == Kind.PRIMARY_KEY
              || element.is(Attribute.PRIMARY_KEY)
              || tokens.hasAnyWord(element.span().from(), element.span().to(), "AUTOINC");
      if (isPrimary) {
        primaryKeys.put(table.table(), element.columns());
      }
      if (isPrimary || element.kind() != Kind.COLUMN || element.is(Attribute.UNIQUE)) {
        addIndex(table.table(), element.columns());
      }
      if (tokens.hasAnyWord(element.span().from(), element.span().to(), "EXCLUDE")) {
        addIndex(table.table(), namedColumns(tokens, table, element.span()));
      }
      if (INTEGERS.contains(element.type())) {
        integerColumns
            .computeIfAbsent(table.table(), first -> new HashSet<>())
            .add(element.column());
      }
    }
    if (!table.partitionColumns().isEmpty()) {
      partitionColumns.put(table.table(), table.partitionColumns());
      addIndex(table.table(), table.partitionColumns());
    }
  }

  /** The columns of a table that a part of its definition names. */
  private static List<String> namedColumns(Tokens tokens, TableDefinition table, Span span) {
    return table.columns().stream()
        .map(Element::column)
        .filter(column -> names(tokens, span, column))
        .toList();
  }

  private static boolean names(Tokens tokens, Span span, String column) {
    return IntStream.range(span.from(), span.to())
        .anyMatch(i -> tokens.isName(i) && tokens.folded(i).equals(column));
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
}
