package io.txwatch.proof;

import io.txwatch.history.RecordedValue;
import io.txwatch.predict.SampledStatement;
import io.txwatch.predict.ValueComparison;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * A query that chooses all rows whose columns have some values, or equal those of other tables: its
 * result shows which of these rows were there, and which were not.
 */
final class EqualityQuery {

  private static final String NAME = "[\\w\"`.]+";
  private static final Pattern QUERY =
      Pattern.compile(
          "(?is)\\s*select\\s+(?:distinct\\s+)?([^?]*?)\\s+from\\s+(.*?)(?:\\s+where\\s+(.*?))?"
              + "(?:\\s+order\\s+by\\s+[\\w\"`.,\\s]+?)?"
              + "(?:\\s+for\\s+(?:no\\s+key\\s+)?(?:update|share)(?:\\s+of\\s+\\w+)?)?\\s*;?\\s*");
  private static final Pattern JOIN =
      Pattern.compile("(?i)\\s+(?:(left)\\s+(?:outer\\s+)?|inner\\s+)?join\\s+");
  private static final Pattern SOURCE =
      Pattern.compile("(?is)(" + NAME + ")(?:\\s+(?:as\\s+)?(?!on\\b)(\\w+))?(?:\\s+on\\s+(.*))?");
  private static final Pattern EQUALITY =
      Pattern.compile("\\s*\\(?\\s*(" + NAME + ")\\s*=\\s*(" + NAME + "|\\?)\\s*\\)?\\s*");
  private static final Pattern ITEM =
      Pattern.compile("(?i)\\s*(" + NAME + ")(?:\\s+(?:as\\s+)?[\\w\"`]+)?\\s*");
  private static final Pattern OTHER =
      Pattern.compile(
          "(?i)\\b(limit|fetch|offset|top|group|having|union|intersect|except|or|not|in|between|like"
              + "|is|exists|using|natural|full|right|cross|lateral|skip|current_\\w+|null|true|false)\\b"
              + "|[<>!+*/|:]");

  /** A table of the query; optional if it is the right one of a left join. */
  private record Source(String alias, TableCopy table, boolean optional) {}

  /** A column of a table of the query. */
  private record Column(String alias, String name) {}

  private final SampledStatement statement;
  private final Map<String, Source> sources = new LinkedHashMap<>();
  private final Map<Column, Set<Column>> equal = new HashMap<>();
  private final Map<Column, RecordedValue> constants = new HashMap<>();
  private final List<Optional<Column>> items = new ArrayList<>();
  private boolean hasCondition;
  private int parameter;

  private EqualityQuery(SampledStatement statement) {
    this.statement = statement;
  }

  /**
   * Reads a query.
   *
   * @return empty if it is another statement, or chooses rows in another way
   */
  static Optional<EqualityQuery> of(SampledStatement statement, List<TableCopy> tables) {
    EqualityQuery query = new EqualityQuery(statement);
    return query.read(String.join("?", statement.text().parts()), tables)
        ? Optional.of(query)
        : Optional.empty();
  }

  private boolean read(String sql, List<TableCopy> tables) {
    Matcher query = QUERY.matcher(sql);
    if (!query.matches()
        || OTHER.matcher(query.group(2)).find()
        || (query.group(3) != null && OTHER.matcher(query.group(3)).find())
        || query.group(2).contains(",")
        || query.group(1).contains("(")) {
      return false;
    }
    if (!readSources(query.group(2), tables)) {
      return false;
    }
    if (query.group(3) != null) {
      hasCondition = true;
      if (!readConditions(query.group(3))) {
        return false;
      }
    }
    return parameter == statement.text().values().size() && readItems(query.group(1));
  }

  private boolean readSources(String from, List<TableCopy> tables) {
    Matcher join = JOIN.matcher(from);
    List<String> texts = new ArrayList<>();
    List<Boolean> optional = new ArrayList<>(List.of(false));
    int start = 0;
    while (join.find()) {
      texts.add(from.substring(start, join.start()));
      optional.add(join.group(1) != null);
      start = join.end();
    }
    texts.add(from.substring(start));
    List<String> conditions = new ArrayList<>();
    for (int i = 0; i < texts.size(); i++) {
      Matcher source = SOURCE.matcher(texts.get(i).strip());
      if (!source.matches() || (i > 0) != (source.group(3) != null)) {
        return false;
      }
      String name = plain(source.group(1));
      String alias = folded(source.group(2) == null ? name : source.group(2));
      Optional<TableCopy> table =
          tables.stream().filter(one -> one.name().equalsIgnoreCase(name)).findFirst();
      if (table.isEmpty()
          || sources.put(alias, new Source(alias, table.get(), optional.get(i))) != null) {
        return false;
      }
      if (i > 0) {
        conditions.add(source.group(3));
      }
    }
    return conditions.stream().allMatch(this::readConditions);
  }

  private boolean readConditions(String conditions) {
    for (String one : conditions.split("(?i)\\s+and\\s+")) {
      Matcher equality = EQUALITY.matcher(one);
      if (!equality.matches()) {
        return false;
      }
      Optional<Column> left = column(equality.group(1));
      if (left.isEmpty()) {
        return false;
      }
      if (equality.group(2).equals("?")) {
        RecordedValue value = statement.text().values().get(parameter).value();
        parameter++;
        if (!ValueComparison.isValue(value)) {
          return false;
        }
        constants.put(left.get(), value);
      } else {
        Optional<Column> right = column(equality.group(2));
        if (right.isEmpty()) {
          return false;
        }
        Set<Column> both = classOf(left.get());
        both.addAll(classOf(right.get()));
        both.forEach(column -> equal.put(column, both));
      }
    }
    return true;
  }

  private boolean readItems(String list) {
    if (list.strip().equals("*") && sources.size() == 1) {
      String alias = sources.keySet().iterator().next();
      statement.columns().forEach(label -> items.add(column(alias + "." + label)));
      return true;
    }
    for (String item : list.split(",", -1)) {
      Matcher column = ITEM.matcher(item);
      items.add(column.matches() ? column(column.group(1)) : Optional.empty());
    }
    return items.size() == statement.columns().size();
  }

  private Set<Column> classOf(Column column) {
    return equal.getOrDefault(column, new HashSet<>(Set.of(column)));
  }

  /** The column of a name with or without its table; empty if it is not known. */
  private Optional<Column> column(String text) {
    String plain = text.replaceAll("[\"`]", "");
    int dot = plain.lastIndexOf('.');
    String name = plain.substring(dot + 1);
    if (dot < 0 && sources.size() > 1) {
      return Optional.empty();
    }
    String alias =
        dot < 0 ? sources.keySet().iterator().next() : folded(plain(plain.substring(0, dot)));
    return Optional.ofNullable(sources.get(alias))
        .flatMap(source -> source.table.column(name))
        .map(one -> new Column(alias, one));
  }

  private static String plain(String name) {
    String plain = name.replaceAll("[\"`]", "");
    return plain.substring(plain.lastIndexOf('.') + 1);
  }

  private static String folded(String name) {
    return name.toLowerCase(Locale.ROOT);
  }

  // ---------------------------------------------------------------- rows

  /** Gives the rows that were found the values that were found. */
  void putBack() {
    for (List<RecordedValue> found : statement.rows()) {
      for (Source source : sources.values()) {
        row(source, found).ifPresent(source.table::restore);
      }
    }
  }

  /**
   * Removes the rows that would have been found if they had been there.
   *
   * @param changed tables of which the transaction itself may have changed or removed such rows
   */
  void removeOthers(Set<String> changed) {
    if (!statement.complete()) {
      return;
    }
    for (Source source : sources.values()) {
      if (!changed.contains(folded(source.table.name())) && showsAll(source)) {
        removeOthers(source);
      }
    }
  }

  private void removeOthers(Source source) {
    List<Map<String, RecordedValue>> found = new ArrayList<>();
    for (List<RecordedValue> one : statement.rows()) {
      Optional<Map<String, RecordedValue>> row = row(source, one);
      if (row.isPresent()) {
        if (!source.table.hasKeyIn(row.get().keySet())) {
          return; // it is not known which one it is
        }
        found.add(row.get());
      } else if (!source.optional) {
        return;
      }
    }
    Map<String, RecordedValue> chosen = new LinkedHashMap<>();
    source
        .table
        .columns()
        .forEach(
            name ->
                constant(new Column(source.alias, name))
                    .ifPresent(value -> chosen.put(name, value)));
    source.table.removeOthers(chosen, found, row -> hasPartners(source, row));
  }

  /** Whether all conditions are ones of the columns of a table. */
  private boolean showsAll(Source source) {
    if (!hasCondition && constants.isEmpty()) {
      return source.equals(sources.values().iterator().next());
    }
    return !constants.isEmpty()
        && constants.keySet().stream()
            .allMatch(
                column -> classOf(column).stream().anyMatch(one -> one.alias.equals(source.alias)));
  }

  /** Whether a row has, in the tables that are joined with its own, rows that it is joined with. */
  private boolean hasPartners(Source source, Map<String, RecordedValue> row) {
    for (Source other : sources.values()) {
      if (other.optional || other.equals(source)) {
        continue;
      }
      Map<String, RecordedValue> partner = new LinkedHashMap<>();
      for (Map.Entry<Column, Set<Column>> one : equal.entrySet()) {
        if (one.getKey().alias.equals(other.alias)) {
          one.getValue().stream()
              .filter(column -> column.alias.equals(source.alias))
              .forEach(
                  column ->
                      partner.put(
                          one.getKey().name, row.getOrDefault(column.name, RecordedValue.UNKNOWN)));
        }
      }
      if (!partner.isEmpty() && !other.table.contains(Map.of(), partner)) {
        return false;
      }
    }
    return true;
  }

  private Optional<RecordedValue> constant(Column column) {
    return classOf(column).stream()
        .flatMap(one -> Optional.ofNullable(constants.get(one)).stream())
        .findFirst();
  }

  /** The row of a table that a row of the result is of; empty if an outer join found none. */
  private Optional<Map<String, RecordedValue>> row(Source source, List<RecordedValue> found) {
    Map<Column, RecordedValue> values = new HashMap<>();
    Map<String, RecordedValue> row = new LinkedHashMap<>();
    boolean isThere = !source.optional;
    for (int i = 0; i < items.size(); i++) {
      if (items.get(i).isPresent()) {
        Column column = items.get(i).get();
        RecordedValue value = found.get(i);
        if (column.alias.equals(source.alias)) {
          row.put(column.name, value);
          isThere |= source.table.isOfKey(column.name) && ValueComparison.isValue(value);
        }
        if (ValueComparison.isValue(value)) {
          classOf(column).forEach(one -> values.put(one, value));
        }
      }
    }
    if (!isThere) {
      return Optional.empty();
    }
    for (String name : source.table.columns()) {
      Column column = new Column(source.alias, name);
      RecordedValue value = constant(column).orElse(values.get(column));
      if (value != null) {
        row.putIfAbsent(name, value);
      }
    }
    return Optional.of(row);
  }
}
