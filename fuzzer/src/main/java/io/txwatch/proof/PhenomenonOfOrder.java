package io.txwatch.proof;

import io.txwatch.anomaly.Phenomenon;
import io.txwatch.history.AccessedColumns.Columns;
import io.txwatch.history.RecordedValue;
import io.txwatch.predict.ExecutedText;
import io.txwatch.predict.ProofInstance;
import io.txwatch.predict.SampledStatement;
import io.txwatch.predict.TemplateAccess;
import io.txwatch.predict.TemplateAccess.Effect;
import io.txwatch.predict.ValueComparison;
import io.txwatch.predict.ValuePlace;
import io.txwatch.predict.ValuePlace.Use;
import io.txwatch.sql.dialect.Dialect;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Names a race by the order that shows it, where no dependency graph of that order has a cycle.
 *
 * <p>Only where the statements prove the cycle: one operation stops, another one runs from its
 * first statement to its commit, and the first goes on. What both read and write are rows that are
 * chosen by all columns of a unique key, or rows that are inserted and searched for by equal
 * values. Every other order has no name.
 */
final class PhenomenonOfOrder {

  private static final Pattern EQUALITIES =
      Pattern.compile(
          "(?is)\\s*select\\b(?!.*\\bselect\\b).*\\bfrom\\s+[\\w\"`.]+(?:\\s+(?:as\\s+)?\\w+)?"
              + "\\s+where\\s+[\\w\"`.]+\\s*=\\s*\\?(?:\\s+and\\s+[\\w\"`.]+\\s*=\\s*\\?)*"
              + "(?:\\s+order\\s+by\\s+[\\w\"`.,\\s]+)?\\s*;?\\s*");

  /** A join that chooses by one column, and by nothing else that has a value. */
  private static final Pattern QUALIFIED =
      Pattern.compile(
          "(?is)[^?]*\\bwhere\\s+(?<alias>\\w+)\\.(?<column>\\w+)\\s*=\\s*\\?"
              + "(?:\\s+order\\s+by\\s+[\\w\"`.,\\s]+)?\\s*;?\\s*");

  private static final Pattern WHERE = Pattern.compile("(?i)\\bwhere\\b");
  private static final Pattern SELECT_IN_SELECT =
      Pattern.compile("(?is)\\bselect\\b.*\\bselect\\b");

  /** A statement that was executed. */
  private record Call(
      int line, SampledStatement statement, List<TemplateAccess> accesses, ExecutedText text) {

    boolean writes() {
      return accesses.stream()
          .anyMatch(one -> one.effect() != Effect.NONE || !isEmpty(one.written()));
    }

    /** The only access of a statement that uses one table. */
    Optional<TemplateAccess> access() {
      return accesses.size() == 1 ? Optional.of(accesses.get(0)) : Optional.empty();
    }

    boolean uses(String table) {
      return accesses.stream().anyMatch(one -> one.table().equals(table));
    }
  }

  /** A row by its unique key. */
  private record Row(String table, Map<String, RecordedValue> key) {

    boolean is(Row other) {
      return table.equals(other.table)
          && key.keySet().equals(other.key.keySet())
          && key.entrySet().stream()
              .allMatch(
                  one -> ValueComparison.areEqual(one.getValue(), other.valueOf(one.getKey())));
    }

    /** Whether it is certain that it is another row: texts may be equal by their collation. */
    boolean isNot(Row other) {
      return !table.equals(other.table)
          || (key.keySet().equals(other.key.keySet())
              && key.entrySet().stream()
                  .anyMatch(one -> areOther(one.getValue(), other.valueOf(one.getKey()))));
    }

    private RecordedValue valueOf(String column) {
      return Objects.requireNonNull(key.get(column));
    }

    private static boolean areOther(RecordedValue one, RecordedValue other) {
      return isInteger(one) && isInteger(other) && !ValueComparison.areEqual(one, other);
    }

    private static boolean isInteger(RecordedValue value) {
      return value.type() == RecordedValue.Type.INTEGER;
    }
  }

  /** What one session executed. */
  private static final class Session {
    final List<Call> calls = new ArrayList<>();
    final Map<Integer, ExecutedText> texts = new TreeMap<>();
    int first = Integer.MAX_VALUE;
    int last;
    boolean isCommitted;
  }

  private final CandidateCase made;
  private final Map<String, Session> sessions = new HashMap<>();

  private PhenomenonOfOrder(CandidateCase made) {
    this.made = made;
  }

  /**
   * Names a race.
   *
   * @param schedule the calls of the order
   * @return empty if they prove none
   */
  static Optional<Phenomenon> of(CandidateCase made, List<String> schedule, Dialect dialect) {
    PhenomenonOfOrder order = new PhenomenonOfOrder(made);
    for (int line = 0; line < schedule.size(); line++) {
      order.add(line, schedule.get(line), dialect);
    }
    boolean isKnown = order.sessions.entrySet().stream().allMatch(order::addCalls);
    return isKnown ? order.name() : Optional.empty();
  }

  private void add(int line, String call, Dialect dialect) {
    int colon = call.indexOf(": ");
    String name = call.substring(0, colon);
    String sql = call.substring(colon + 2);
    Session session = sessions.computeIfAbsent(name, one -> new Session());
    session.first = Math.min(session.first, line);
    session.last = line;
    session.isCommitted = sql.equals("commit");
    if (!sql.equals("commit") && !sql.equals("rollback")) {
      session.texts.put(line, ExecutedText.of(sql, List.of(), dialect));
    }
  }

  /**
   * The statements of the operation that a session has executed. A schedule does not have those
   * that use no table.
   *
   * @return false if it is not certain which they are
   */
  private boolean addCalls(Map.Entry<String, Session> one) {
    ProofInstance instance = made.instance(Integer.parseInt(one.getKey().substring(1)) - 1);
    List<SampledStatement> observed = instance.sample().statements();
    Map<Integer, ExecutedText> texts = one.getValue().texts;
    int next = 0;
    for (Map.Entry<Integer, ExecutedText> executed : texts.entrySet()) {
      while (observed.size() != texts.size()
          && next < observed.size()
          && !observed.get(next).text().parts().equals(executed.getValue().parts())) {
        next++;
      }
      if (next == observed.size()) {
        return false;
      }
      SampledStatement statement = observed.get(next++);
      one.getValue()
          .calls
          .add(
              new Call(
                  executed.getKey(),
                  statement,
                  instance.template().statements().get(statement.number() - 1).accesses(),
                  executed.getValue()));
    }
    return true;
  }

  private Optional<Phenomenon> name() {
    Set<Phenomenon> found = new HashSet<>();
    for (Session split : sessions.values()) {
      for (Session whole : sessions.values()) {
        if (split != whole && split.isCommitted && whole.isCommitted) {
          split.calls.stream()
              .filter(read -> read.line < whole.first && isAlone(split, read.line))
              .forEach(read -> addNames(read, split, whole, found));
        }
      }
    }
    return List.of(
            Phenomenon.LOST_UPDATE,
            Phenomenon.READ_WRITE_SKEW,
            Phenomenon.WRITE_SKEW,
            Phenomenon.G2)
        .stream()
        .filter(found::contains)
        .findFirst();
  }

  /** Whether no other session is in a transaction, so that a statement does not wait. */
  private boolean isAlone(Session own, int line) {
    return sessions.values().stream()
        .allMatch(one -> one == own || one.last < line || one.first > line);
  }

  /** The cycles of a read before another session, and what its own session did after that. */
  private void addNames(Call read, Session split, Session whole, Set<Phenomenon> found) {
    Optional<Row> x = rowRead(read).filter(row -> isUpdated(row, whole));
    boolean isMissed = whole.calls.stream().anyMatch(insert -> isFoundBy(read, insert));
    if (x.isEmpty() && !isMissed) {
      return;
    }
    for (Call write : split.calls) {
      if (write.line < whole.last) {
        continue;
      }
      Optional<Row> y = rowUpdated(write);
      if (x.isPresent() && y.isPresent() && isUpdated(y.get(), whole)) {
        if (x.get().isNot(y.get())) {
          found.add(Phenomenon.READ_WRITE_SKEW);
        } else if (x.get().is(y.get())
            && isBlind(write)
            && !isReadAgain(x.get(), read, write, split)) {
          found.add(Phenomenon.LOST_UPDATE);
        }
      }
      for (Call other : whole.calls) {
        Optional<Row> z = rowRead(other).filter(row -> y.filter(one -> one.is(row)).isPresent());
        if (isFoundBy(other, write) || (isMissed && z.isPresent())) {
          found.add(Phenomenon.G2);
        } else if (x.isPresent() && z.isPresent() && x.get().isNot(z.get())) {
          found.add(Phenomenon.WRITE_SKEW);
        }
      }
    }
  }

  private boolean isUpdated(Row row, Session by) {
    return by.calls.stream()
        .anyMatch(call -> rowUpdated(call).filter(one -> one.is(row)).isPresent());
  }

  /** Whether the values that are written do not depend on those that they replace. */
  private static boolean isBlind(Call write) {
    return write
        .access()
        .filter(one -> !one.read().all() && columns(one).containsAll(one.read().names()))
        .isPresent();
  }

  private static boolean isReadAgain(Row row, Call read, Call write, Session by) {
    return by.calls.stream()
        .anyMatch(
            call ->
                call.line > read.line
                    && call.line < write.line
                    && !call.writes()
                    && call.uses(row.table));
  }

  // ---------------------------------------------------------------- rows

  /** The row that a query has chosen by its key, whatever it has joined it with. */
  private Optional<Row> rowRead(Call call) {
    if (call.writes() || !call.statement.complete() || call.statement.rows().isEmpty()) {
      return Optional.empty();
    }
    return call.accesses.size() == 1 ? row(call, call.accesses.get(0)) : qualifiedRow(call);
  }

  /**
   * The row of a table that a join has chosen by one column: {@code o.id = 7}. Whether it is the
   * only one is known from the write that chooses by the same column.
   */
  private Optional<Row> qualifiedRow(Call call) {
    String sql = String.join("?", call.text.parts());
    Matcher compared = QUALIFIED.matcher(sql);
    Map<String, RecordedValue> values = values(call, Use.COMPARED);
    if (!compared.matches()
        || values.size() != 1
        || !FoundRows.isConjunction(call.statement)
        || SELECT_IN_SELECT.matcher(sql).find()) {
      return Optional.empty();
    }
    String name = compared.group("alias");
    Pattern source =
        Pattern.compile("(?i)\\b(?:from|join)\\s+(\\w+)\\s+(?:as\\s+)?" + name + "\\b");
    Matcher table = source.matcher(sql);
    if (!table.find()) {
      return Optional.empty();
    }
    return call.accesses.stream()
        .filter(access -> plain(access.table()).equalsIgnoreCase(table.group(1)))
        .filter(access -> values.containsKey(compared.group("column").toLowerCase(Locale.ROOT)))
        .filter(access -> !mayBecomeAnother(access.table(), values.keySet()))
        .findFirst()
        .map(access -> new Row(access.table(), values));
  }

  private static String plain(String table) {
    return table.substring(table.lastIndexOf('.') + 1);
  }

  private Optional<Row> rowUpdated(Call call) {
    return call.access()
        .filter(access -> access.effect() == Effect.NONE && call.writes())
        .filter(access -> call.statement.updateCount() == 1)
        .flatMap(access -> row(call, access));
  }

  private Optional<Row> row(Call call, TemplateAccess access) {
    if (!access.key().unique()
        || !FoundRows.isConjunction(call.statement)
        || SELECT_IN_SELECT.matcher(String.join("?", call.text.parts())).find()
        || mayBecomeAnother(access.table(), columns(access))) {
      return Optional.empty();
    }
    Map<String, RecordedValue> compared = values(call, Use.COMPARED);
    Set<String> key = columns(access);
    if (!compared.keySet().containsAll(key)) {
      return Optional.empty();
    }
    compared.keySet().retainAll(key);
    return Optional.of(new Row(access.table(), compared));
  }

  /** Whether a key may be one of different rows in turn. */
  private boolean mayBecomeAnother(String table, Set<String> columns) {
    return made.instances().stream()
        .flatMap(instance -> instance.template().statements().stream())
        .flatMap(statement -> statement.accesses().stream())
        .filter(other -> other.table().equals(table))
        .anyMatch(
            other ->
                other.effect() == Effect.DELETED
                    || (other.effect() == Effect.NONE
                        && (other.written().all()
                            || other.written().names().stream().anyMatch(columns::contains))));
  }

  private static Set<String> columns(TemplateAccess access) {
    Set<String> columns = new HashSet<>();
    access.key().variables().keySet().forEach(one -> columns.addAll(List.of(one.split(","))));
    return columns;
  }

  /** Whether a query would have found the row that a statement inserts. */
  private static boolean isFoundBy(Call query, Call insert) {
    if (query.writes()
        || query.accesses.size() != 1
        || insert.statement.updateCount() != 1
        || insert
            .access()
            .filter(one -> one.effect() == Effect.INSERTED && !one.predicate().all())
            .filter(one -> query.uses(one.table()))
            .isEmpty()
        || !EQUALITIES.matcher(String.join("?", query.text.parts())).matches()) {
      return false;
    }
    Map<String, RecordedValue> searched = values(query, Use.COMPARED);
    Map<String, RecordedValue> inserted = values(insert, Use.INSERTED);
    return searched.size() == query.text.values().size()
        && searched.entrySet().stream()
            .allMatch(
                one ->
                    inserted.containsKey(one.getKey())
                        && ValueComparison.areEqual(one.getValue(), inserted.get(one.getKey())));
  }

  /** The values of columns that are used once; those that are compared, behind WHERE. */
  private static Map<String, RecordedValue> values(Call call, Use use) {
    Map<String, RecordedValue> values = new HashMap<>();
    Set<String> twice = new HashSet<>();
    boolean isCondition = false;
    for (int i = 0; i < call.text.values().size(); i++) {
      ValuePlace place = call.text.values().get(i);
      isCondition |= WHERE.matcher(call.text.parts().get(i)).find();
      if (place.use() == use
          && (use != Use.COMPARED || isCondition)
          && values.put(place.column(), place.value()) != null) {
        twice.add(place.column());
      }
    }
    values.keySet().removeAll(twice);
    return values;
  }

  private static boolean isEmpty(Columns columns) {
    return !columns.all() && columns.names().isEmpty();
  }
}
