package io.txwatch.slice;

import io.txwatch.anomaly.Anomaly;
import io.txwatch.anomaly.ObservedStatement;
import io.txwatch.anomaly.ObservedTransaction;
import io.txwatch.dependency.Dependency;
import io.txwatch.dependency.DependencyKind;
import io.txwatch.history.CallSite;
import io.txwatch.history.Outcome;
import io.txwatch.history.StatementKind;
import io.txwatch.report.Explanation;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;

/**
 * The pattern of an anomaly as a case for {@code replay}: the same transactions read and write rows
 * in the same order, in small tables of the case's own, since the application's schema and values
 * are not known. Each header line {@code T1-2} names the application's statement that a step stands
 * for.
 *
 * <p>A row has a number as its key and one value. What was read or changed by a predicate is read
 * by {@code v >= }{@value #THRESHOLD}, also by a later statement with the same text, since the same
 * predicate may be what proves the anomaly.
 */
public final class CaseSlice {

  private static final int THRESHOLD = 100;

  private final Anomaly anomaly;
  private final Accesses accesses;
  private final Map<RowId, Integer> keys = new LinkedHashMap<>();
  private final Map<String, Integer> lastKeys = new LinkedHashMap<>();
  private final Map<String, String> tables = new LinkedHashMap<>();
  private final List<String> lines = new ArrayList<>();
  private int lastValue;

  private CaseSlice(Anomaly anomaly) {
    this.anomaly = anomaly;
    this.accesses = Accesses.of(anomaly);
    for (RowId row : accesses.rows()) {
      keys.put(row, lastKeys.merge(row.table(), 1, Integer::sum));
      tables.computeIfAbsent(row.table(), name -> tableName(name, tables.size() + 1));
    }
  }

  /** The text of the case. */
  public static String of(Anomaly anomaly) {
    CaseSlice slice = new CaseSlice(anomaly);
    slice.addHeaders();
    slice.addSetup();
    slice.addSteps();
    slice.tables.values().forEach(table -> slice.add("F: SELECT * FROM " + table + " ORDER BY id"));
    return slice.lines.stream().map(line -> line + "\n").collect(Collectors.joining());
  }

  /** A name that is no keyword and is unlike that of any other table of the case. */
  private static String tableName(String name, int number) {
    String plain = name.toLowerCase(Locale.ROOT).replaceAll("[^a-z0-9]+", "_");
    return "t" + number + "_" + plain.substring(0, Math.min(30, plain.length()));
  }

  private void add(String line) {
    lines.add(line.replaceAll("[\\p{Cc}\\p{Zl}\\p{Zp}]+", " "));
  }

  private void addHeaders() {
    add("# phenomenon: " + anomaly.phenomenon());
    add(
        "# source: the pattern of an anomaly that txwatch found on "
            + anomaly.database().product().displayName());
    add("# isolation: " + anomaly.isolation());
    add("# oracle: isorel");
    for (int column = 0; column < anomaly.transactions().size(); column++) {
      for (var statement : anomaly.transactions().get(column).statements()) {
        String place = CallSite.place(statement.callSite());
        add(
            "# "
                + Explanation.label(column)
                + "-"
                + statement.number()
                + ": "
                + statement.sql()
                + (place.isEmpty() ? "" : " -- " + place));
      }
    }
  }

  private void addSetup() {
    tables.forEach(
        (name, table) -> {
          add("I: CREATE TABLE " + table + " (id INT NOT NULL PRIMARY KEY, v INT) {ENGINE}");
          String rows =
              keys.entrySet().stream()
                  .filter(row -> row.getKey().table().equals(name) && !isInserted(row.getKey()))
                  .map(row -> "(" + row.getValue() + ", " + initialValue(row.getKey()) + ")")
                  .collect(Collectors.joining(", "));
          if (!rows.isEmpty()) {
            add("I: INSERT INTO " + table + " VALUES " + rows);
          }
        });
  }

  /** A row that is deleted by what a predicate selects matches it before. */
  private int initialValue(RowId row) {
    boolean matches =
        accesses.versions(row).stream().findFirst().filter(this::isDelete).isPresent();
    return matches ? THRESHOLD : keys.getOrDefault(row, 0);
  }

  private boolean isInserted(RowId row) {
    return accesses.versions(row).stream()
        .findFirst()
        .filter(place -> kind(place) == StatementKind.INSERT)
        .isPresent();
  }

  private boolean isDelete(Place place) {
    return kind(place) == StatementKind.DELETE;
  }

  private StatementKind kind(Place place) {
    return statement(place).map(ObservedStatement::kind).orElse(StatementKind.UPDATE);
  }

  private Optional<ObservedStatement> statement(Place place) {
    return anomaly.transactions().stream()
        .filter(transaction -> transaction.id() == place.transaction())
        .flatMap(transaction -> transaction.statements().stream())
        .filter(statement -> statement.number() == place.statement())
        .findFirst();
  }

  private void addSteps() {
    List<Accesses.Step> steps = accesses.steps();
    Set<Integer> begun = new HashSet<>();
    Set<Integer> active = new LinkedHashSet<>();
    for (int i = 0; i < steps.size(); i++) {
      Accesses.Step step = steps.get(i);
      String session = Explanation.label(step.column());
      if (begun.add(step.column())) {
        add(session + ": BEGIN");
        active.add(step.column());
      }
      reads(step).forEach(sql -> add(session + ": " + sql));
      writes(step).forEach(sql -> add(session + ": " + sql));
      List<Accesses.Step> rest = steps.subList(i + 1, steps.size());
      for (Integer column : List.copyOf(active)) {
        if (!isAborted(column) && mayCommit(column, rest)) {
          add(Explanation.label(column) + ": COMMIT");
          active.remove(column);
        }
      }
    }
    active.forEach(column -> add(Explanation.label(column) + ": ROLLBACK"));
  }

  /** A transaction commits after its last step, and after the reads that do not see its writes. */
  private boolean mayCommit(int column, List<Accesses.Step> rest) {
    long transaction = anomaly.transactions().get(column).id();
    return rest.stream()
        .noneMatch(
            step ->
                step.column() == column
                    || step.reads().entrySet().stream()
                        .anyMatch(
                            read ->
                                accesses.versionsAfter(read.getKey(), read.getValue()).stream()
                                    .anyMatch(write -> write.transaction() == transaction)));
  }

  private boolean isAborted(int column) {
    ObservedTransaction transaction = anomaly.transactions().get(column);
    return transaction.outcome().filter(Outcome.ABORTED::equals).isPresent();
  }

  private List<String> reads(Accesses.Step step) {
    Place place =
        new Place(anomaly.transactions().get(step.column()).id(), step.statement().number());
    Map<String, Set<String>> conditions = new LinkedHashMap<>();
    Map<String, Set<Integer>> ids = new LinkedHashMap<>();
    for (RowId row : step.reads().keySet()) {
      boolean isWritten = step.reads().getOrDefault(row, Optional.empty()).isPresent();
      if (isByPredicate(place, row) || isWritten && repeatsPredicate(step, row.table())) {
        conditions
            .computeIfAbsent(row.table(), table -> new LinkedHashSet<>())
            .add("v >= " + THRESHOLD);
      } else {
        ids.computeIfAbsent(row.table(), table -> new TreeSet<>()).add(keys.getOrDefault(row, 0));
      }
    }
    ids.forEach(
        (table, numbers) ->
            conditions.computeIfAbsent(table, name -> new LinkedHashSet<>()).add(byKey(numbers)));
    // What an UPDATE or DELETE reads is current, whatever the snapshot shows.
    String lock = step.statement().kind() == StatementKind.SELECT ? "" : " {FU}";
    List<String> statements = new ArrayList<>();
    conditions.forEach(
        (table, all) ->
            statements.add(
                "SELECT * FROM "
                    + tables.get(table)
                    + " WHERE "
                    + String.join(" OR ", all)
                    + lock));
    return statements;
  }

  private static String byKey(Set<Integer> keys) {
    return keys.size() == 1
        ? "id = " + keys.iterator().next()
        : keys.stream().map(String::valueOf).collect(Collectors.joining(", ", "id IN (", ")"));
  }

  private boolean isByPredicate(Place reader, RowId row) {
    for (Dependency edge : anomaly.cycle()) {
      if (RowId.of(edge).equals(row) && edge.evidence().byPredicate()) {
        if (reader(edge).equals(reader)) {
          return true;
        }
      }
    }
    return false;
  }

  /**
   * Whether a statement with the same text reads the table by a predicate. What is written in the
   * case matches that.
   */
  private boolean repeatsPredicate(Accesses.Step step, String table) {
    return anomaly.cycle().stream()
        .filter(edge -> edge.evidence().byPredicate() && edge.table().equals(table))
        .flatMap(edge -> statement(reader(edge)).stream())
        .anyMatch(statement -> statement.sql().equals(step.statement().sql()));
  }

  /** The statement that read by the predicate of a dependency. */
  private static Place reader(Dependency edge) {
    return edge.kind() == DependencyKind.RW ? Place.from(edge) : Place.to(edge);
  }

  private List<String> writes(Accesses.Step step) {
    List<String> statements = new ArrayList<>();
    for (RowId row : step.writes()) {
      String table = tables.getOrDefault(row.table(), "");
      int key = keys.getOrDefault(row, 0);
      boolean isFirst =
          accesses.versions(row).get(0).statement() == step.statement().number()
              && accesses.versions(row).get(0).transaction()
                  == anomaly.transactions().get(step.column()).id();
      int value = THRESHOLD + ++lastValue;
      statements.add(
          switch (step.statement().kind()) {
            case INSERT ->
                isFirst
                    ? "INSERT INTO " + table + " VALUES (" + key + ", " + value + ")"
                    : update(table, key, value);
            case DELETE -> "DELETE FROM " + table + " WHERE id = " + key;
            default -> update(table, key, value);
          });
    }
    return statements;
  }

  private static String update(String table, int key, int value) {
    return "UPDATE " + table + " SET v = " + value + " WHERE id = " + key;
  }
}
