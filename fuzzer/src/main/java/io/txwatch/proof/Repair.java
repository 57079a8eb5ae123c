package io.txwatch.proof;

import io.txwatch.dbms.Dbms;
import io.txwatch.dependency.DependencyKind;
import io.txwatch.history.CallSite;
import io.txwatch.history.IsolationLevel;
import io.txwatch.history.StatementKind;
import io.txwatch.predict.OperationTemplate;
import io.txwatch.predict.RaceCandidate;
import io.txwatch.predict.SampledStatement;
import io.txwatch.predict.TemplateConflict;
import io.txwatch.predict.TemplateStatement;
import io.txwatch.predict.ValuePlace;
import io.txwatch.predict.ValuePlace.Use;
import io.txwatch.schedule.ComputedText;
import io.txwatch.schedule.ComputedText.ReturnedValue;
import io.txwatch.schedule.ObservedPath;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.Collectors;

/**
 * A change that may prevent a race.
 *
 * @param advice what to change, in words
 * @param changed the case with the change
 */
record Repair(String advice, CandidateCase changed) {

  /** How the advice to use another level begins. */
  static final String RUN_AT = "run the operations at ";

  /** The changes that are tried for a case, the cheapest first. */
  static List<Repair> of(RaceCandidate candidate, CandidateCase original, Dbms dbms) {
    List<Repair> repairs = new ArrayList<>();
    atomic(original).ifPresent(repairs::add);
    repairs.addAll(locks(candidate, original, dbms));
    unique(candidate, original).ifPresent(repairs::add);
    for (IsolationLevel level : dbms.levels()) {
      if (original.levels().stream().allMatch(one -> one.compareTo(level) < 0)) {
        repairs.add(new Repair(RUN_AT + level.name().replace('_', ' '), original.at(level)));
      }
    }
    return repairs;
  }

  // ---------------------------------------------------------------- the atomic form

  /** {@code SET x = x - 10} in place of a read, and a write of the difference. */
  private static Optional<Repair> atomic(CandidateCase original) {
    Map<String, ObservedPath> paths = new TreeMap<>(original.paths());
    Set<String> columns = new TreeSet<>();
    for (Map.Entry<String, ObservedPath> one : original.paths().entrySet()) {
      List<ComputedText> texts = one.getValue().texts();
      Set<Integer> reads = new LinkedHashSet<>();
      List<ComputedText> changed = new ArrayList<>();
      for (ComputedText text : texts) {
        changed.add(atomic(text, reads, columns));
      }
      Set<Integer> stillNeeded =
          changed.stream()
              .flatMap(text -> text.values().stream())
              .map(ReturnedValue::statement)
              .collect(Collectors.toSet());
      reads.removeAll(stillNeeded);
      if (!reads.isEmpty()) {
        paths.put(one.getKey(), one.getValue().withTexts(changed).without(reads));
      }
    }
    return columns.isEmpty() || paths.equals(original.paths())
        ? Optional.empty()
        : Optional.of(
            new Repair(
                "change "
                    + String.join(", ", columns)
                    + " in the UPDATE itself, without reading it before: SET "
                    + columns.iterator().next()
                    + " = "
                    + columns.iterator().next()
                    + " + ?",
                original.with(paths)));
  }

  private static ComputedText atomic(ComputedText text, Set<Integer> reads, Set<String> columns) {
    List<String> parts = new ArrayList<>();
    List<ReturnedValue> values = new ArrayList<>();
    StringBuilder part = new StringBuilder(text.parts().get(0));
    for (int i = 0; i < text.values().size(); i++) {
      ReturnedValue value = text.values().get(i);
      if (value.difference() != null && !value.assigned().isEmpty()) {
        reads.add(value.statement());
        columns.add(value.assigned());
        part.append(value.assigned())
            .append(" + (")
            .append(value.difference().toPlainString())
            .append(')');
      } else {
        parts.add(part.toString());
        part.setLength(0);
        values.add(value);
      }
      part.append(text.parts().get(i + 1));
    }
    parts.add(part.toString());
    return new ComputedText(parts, values);
  }

  // ---------------------------------------------------------------- locks

  private record Read(OperationTemplate operation, TemplateStatement statement) {
    @Override
    public String toString() {
      String place = CallSite.shown(statement.callSite());
      return "statement "
          + statement.number()
          + " of "
          + operation
          + (place.isEmpty() ? "" : ", " + place);
    }
  }

  /** One read locks its rows, or all of the cycle do. */
  private static List<Repair> locks(RaceCandidate candidate, CandidateCase original, Dbms dbms) {
    String clause = dbms.renderSql("{FU}");
    if (clause.isEmpty()) {
      return List.of();
    }
    Set<Read> reads = new LinkedHashSet<>();
    for (TemplateConflict conflict : candidate.conflicts()) {
      if (conflict.kind() == DependencyKind.RW
          && conflict.fromStatement().kind() == StatementKind.SELECT) {
        reads.add(new Read(candidate.operations().get(conflict.from()), conflict.fromStatement()));
      }
    }
    List<Set<Read>> choices = new ArrayList<>();
    reads.forEach(read -> choices.add(Set.of(read)));
    if (reads.size() > 1) {
      choices.add(reads);
    }
    List<Repair> repairs = new ArrayList<>();
    for (Set<Read> choice : choices) {
      Map<String, ObservedPath> paths = new TreeMap<>();
      for (int i = 0; i < candidate.operations().size(); i++) {
        String session = "T" + (i + 1);
        OperationTemplate operation = candidate.operations().get(i);
        ObservedPath path = original.path(session);
        List<ComputedText> texts = new ArrayList<>();
        for (int k = 0; k < path.texts().size(); k++) {
          TemplateStatement statement =
              operation
                  .statements()
                  .get(original.instance(i).sample().statements().get(k).number() - 1);
          ComputedText text = path.texts().get(k);
          texts.add(
              choice.contains(new Read(operation, statement)) ? text.followedBy(clause) : text);
        }
        paths.put(session, path.withTexts(texts));
      }
      repairs.add(
          new Repair(
              "lock the rows that are read with "
                  + clause
                  + ": "
                  + choice.stream().map(Read::toString).sorted().collect(Collectors.joining("; ")),
              original.with(paths)));
    }
    return repairs;
  }

  // ---------------------------------------------------------------- a unique constraint

  /** Of the columns that a row was searched by, not found, and inserted with. */
  private static Optional<Repair> unique(RaceCandidate candidate, CandidateCase original) {
    for (int i = 0; i < candidate.operations().size(); i++) {
      List<SampledStatement> statements = original.instance(i).sample().statements();
      OperationTemplate operation = candidate.operations().get(i);
      for (int insert = 1; insert < statements.size(); insert++) {
        Set<String> inserted = columns(statements.get(insert), Use.INSERTED);
        for (int query = 0; query < insert; query++) {
          Set<String> compared = columns(statements.get(query), Use.COMPARED);
          String table = table(operation, statements.get(insert));
          if (!compared.isEmpty()
              && inserted.containsAll(compared)
              && table.equals(table(operation, statements.get(query)))) {
            String names = String.join(", ", compared);
            return Optional.of(
                new Repair(
                    "a unique constraint on " + table + " (" + String.join(", ", compared) + ")",
                    original.withDefinition(
                        "CREATE UNIQUE INDEX txw_unique ON " + table + " (" + names + ")")));
          }
        }
      }
    }
    return Optional.empty();
  }

  private static Set<String> columns(SampledStatement statement, Use use) {
    return statement.text().values().stream()
        .filter(value -> value.use() == use)
        .map(ValuePlace::column)
        .collect(Collectors.toCollection(TreeSet::new));
  }

  private static String table(OperationTemplate operation, SampledStatement statement) {
    var accesses = operation.statements().get(statement.number() - 1).accesses();
    return accesses.size() == 1 ? accesses.get(0).table() : "";
  }
}
