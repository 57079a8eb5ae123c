package io.txwatch.rewrite;

import io.txwatch.plan.Catalog;
import io.txwatch.plan.Catalog.Status;
import io.txwatch.plan.Catalog.Table;
import io.txwatch.plan.KeyColumn;
import io.txwatch.plan.SystemColumnKey;
import io.txwatch.plan.SystemColumnKey.Replaced;
import io.txwatch.sql.dialect.Dialect;
import io.txwatch.sql.syntax.Identifiers;
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
 * A catalog in a few words: {@code new TestCatalog(SQLITE).prepared("t", "id", "b")}. A column's
 * type may stand behind its name: {@code "b json"}, {@code "b bigint"}; the others are of type int.
 * {@code changing} stands for one that changes by itself. The first column is the primary key.
 */
final class TestCatalog implements Catalog {

  private final Dialect dialect;
  private boolean small = true;
  private final Map<String, Table> tables = new HashMap<>();

  TestCatalog(Dialect dialect) {
    this.dialect = dialect;
  }

  /** One whose versions can be read: on PostgreSQL, of version 18, by its system columns. */
  TestCatalog prepared(String name, String... columns) {
    return dialect == Dialect.POSTGRESQL
        ? system(key(columns[0], Set.of(Replaced.RETURNED, Replaced.KEPT)), name, columns)
        : with(name, Status.PREPARED, columns);
  }

  private static SystemColumnKey key(String column, Set<Replaced> replaced) {
    return new SystemColumnKey(List.of(column.split(" ", 2)[0]), true, replaced, Set.of());
  }

  TestCatalog with(String name, Status status, String... columns) {
    List<String> names = new ArrayList<>();
    Map<String, String> types = new HashMap<>();
    Set<String> changing = new HashSet<>();
    for (String column : columns) {
      String[] words = column.split(" ", 2);
      names.add(words[0]);
      boolean changes = words.length > 1 && words[1].equals("changing");
      types.put(words[0].toLowerCase(Locale.ROOT), words.length > 1 && !changes ? words[1] : "int");
      if (changes) {
        changing.add(words[0].toLowerCase(Locale.ROOT));
      }
    }
    Traits traits =
        new Traits(
            types,
            changing,
            false,
            names.isEmpty() ? List.of() : List.of(List.of(names.get(0).toLowerCase(Locale.ROOT))),
            "",
            Set.of(),
            changing.isEmpty(),
            Set.of(),
            List.of(),
            dialect == Dialect.POSTGRESQL || dialect == Dialect.H2);
    List<KeyColumn> key = names.isEmpty() ? List.of() : nameColumns(names.get(0), types);
    tables.put(Identifiers.fold(name), new Table(name, status, names, traits.namedBy(key)));
    return this;
  }

  /** One whose versions are in system columns; its key is its first column, an integer. */
  TestCatalog system(String name, String... columns) {
    return system(key(columns[0], Set.of()), name, columns);
  }

  /** One whose versions are in system columns. */
  TestCatalog system(SystemColumnKey key, String name, String... columns) {
    with(name, Status.SYSTEM_COLUMNS, columns);
    Table table = Objects.requireNonNull(tables.get(Identifiers.fold(name)));
    Traits traits =
        new Traits(
            Map.of(),
            table.traits().changing(),
            false,
            List.of(),
            "",
            Set.of(),
            false,
            Set.copyOf(key.columns()),
            table.traits().nameColumns(),
            true);
    tables.put(
        Identifiers.fold(name),
        new Table(
            name,
            Status.SYSTEM_COLUMNS,
            table.columns(),
            traits,
            List.of(),
            table.columns(),
            Optional.of(key)));
    return this;
  }

  /** Rows are named by the first column if that is an integer, a UUID, or text without case. */
  private static List<KeyColumn> nameColumns(String name, Map<String, String> types) {
    String column = name.toLowerCase(Locale.ROOT);
    String type = types.getOrDefault(column, "");
    if (type.equals("uuid")) {
      return List.of(new KeyColumn(column, KeyColumn.Kind.UUID, true));
    }
    return type.equals("int")
        ? List.of(new KeyColumn(column, KeyColumn.Kind.INTEGER, true))
        : type.startsWith("varchar")
            ? List.of(new KeyColumn(column, KeyColumn.Kind.TEXT, false))
            : List.of();
  }

  /** A view. */
  TestCatalog view(String name, String query, String... columns) {
    tables.put(
        Identifiers.fold(name),
        new Table(name, Status.NOT_A_BASE_TABLE, List.of(columns), Traits.ofView(query)));
    return this;
  }

  /** No table is known to be small. */
  TestCatalog large() {
    small = false;
    return this;
  }

  /** A text with the auxiliary columns in the place of PostgreSQL's system columns and its keys. */
  static String asWithAuxiliary(String sql) {
    return sql.replaceAll("cast\\((\\w+\\.xmin::pg_catalog\\.text) as varchar\\(43\\)\\)", "$1")
        .replaceAll("(\\w+\\.|\\b|(?<=\\s))\"\\w+\" as (txw_rid\\d*)", "$1txw_rid as $2")
        .replaceAll("xmin::pg_catalog\\.text as (txw_wl\\d*)", "txw_wl as $1")
        .replaceAll("(txw_rid|txw_wl) as \\1(?!\\w)", "$1");
  }

  @Override
  public boolean isSmall(List<String> nameParts) {
    return small;
  }

  @Override
  public Optional<Table> find(List<String> nameParts) {
    return Optional.ofNullable(tables.get(Identifiers.fold(nameParts.get(nameParts.size() - 1))));
  }
}
