package io.txwatch.oracle.known;

import io.txwatch.oracle.SqlLists;
import io.txwatch.schedule.CaseExecution;
import io.txwatch.schedule.StepOutcome;
import io.txwatch.testcase.StatementText;
import io.txwatch.testcase.Step;
import java.math.BigDecimal;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * Multi-row INSERTs that H2 executes again because a row found another transaction's uncommitted
 * key. H2 does not roll back the first attempt, so an earlier row of the statement itself causes a
 * duplicate key.
 */
final class RetriedInserts {

  private static final int DUPLICATE_KEY = 23505;

  private static final Pattern INSERT =
      Pattern.compile(
          "(?is)^\\s*INSERT\\s+INTO\\s+([\\w\"]+)\\s*\\(([^)]*)\\)\\s*VALUES\\s*(\\(.*\\))\\s*");

  /** The columns of a secondary index, and the duplicate key in it. */
  private static final Pattern TAKEN =
      Pattern.compile("^[^\\n]*: INDEX ON [^\\n(]+\\(([^\\n)]*)\\) VALUES \\((.*)\\)\"; SQL");

  private static final Pattern TYPE =
      Pattern.compile("\\bAS\\s+[A-Z][A-Z ]*(?:\\([^)]*\\))?\\s*\\)");
  private static final Pattern LITERAL =
      Pattern.compile("'((?:[^']|'')*)'|(?<![\\w.])(-?\\d+(?:\\.\\d+)?)");

  private RetriedInserts() {}

  /**
   * The INSERTs that were rejected because of one of their own rows, whose key no other statement
   * writes, while a later row of them had a key that an open transaction had written.
   */
  static Set<Step> of(CaseExecution execution) {
    return execution.outcomes().stream()
        .filter(outcome -> outcome.vendorCode() == DUPLICATE_KEY)
        .filter(outcome -> isRejectedByOwnRow(outcome, execution))
        .map(StepOutcome::step)
        .collect(Collectors.toSet());
  }

  private static boolean isRejectedByOwnRow(StepOutcome outcome, CaseExecution execution) {
    Matcher insert = INSERT.matcher(outcome.step().sql());
    Matcher taken = TAKEN.matcher(outcome.message());
    if (!insert.matches() || !taken.find()) {
      return false;
    }
    List<String> given = SqlLists.split(insert.group(2).toLowerCase(Locale.ROOT));
    List<String> columns =
        SqlLists.split(taken.group(1).toLowerCase(Locale.ROOT)).stream()
            .map(column -> column.split(" ", 2)[0])
            .toList();
    List<Integer> positions = columns.stream().map(given::indexOf).toList();
    List<List<String>> keys =
        SqlLists.split(insert.group(3)).stream().map(row -> key(row, positions)).toList();
    List<String> refused = literals(taken.group(2));
    int own = keys.indexOf(refused);
    return own >= 0
        && !isWrittenElsewhere(
            new Key(insert.group(1), columns, refused), outcome.step(), execution)
        && keys.subList(own + 1, keys.size()).stream()
            .anyMatch(
                key -> isWrittenConcurrently(key, insert.group(1), outcome.step(), execution));
  }

  /** The values of a row at some positions; empty if the row does not have them all. */
  private static List<String> key(String row, List<Integer> positions) {
    List<String> values = SqlLists.split(row.substring(1, row.length() - 1));
    List<String> key = new ArrayList<>();
    for (int position : positions) {
      if (position < 0 || position >= values.size()) {
        return List.of();
      }
      key.addAll(literals(values.get(position)));
    }
    return key;
  }

  /** Values of the columns of an index. */
  private record Key(String table, List<String> columns, List<String> values) {

    /**
     * True if a statement may write it. Of an INSERT into the table only the columns of the index
     * count; for one that is not in its list, the definition has the default.
     */
    boolean mayBeWrittenBy(String sql) {
      Matcher insert = INSERT.matcher(sql);
      if (!insert.matches() || !insert.group(1).equalsIgnoreCase(table)) {
        return SqlLists.split(sql.replaceFirst("(?is)^.*?\\bVALUES\\b", "")).stream()
            .anyMatch(row -> literals(row).containsAll(values));
      }
      List<String> given = SqlLists.split(insert.group(2).toLowerCase(Locale.ROOT));
      List<Integer> positions = columns.stream().map(given::indexOf).toList();
      return SqlLists.split(insert.group(3)).stream()
          .anyMatch(row -> key(row, positions).equals(values));
    }
  }

  /** True if another row may have the key, by the set-up or by another step. */
  private static boolean isWrittenElsewhere(Key key, Step refused, CaseExecution execution) {
    Stream<String> steps =
        execution.testCase().steps().stream().filter(step -> !step.equals(refused)).map(Step::sql);
    return Stream.concat(execution.testCase().setup().stream(), steps)
        .filter(sql -> !StatementText.isQuery(sql))
        .anyMatch(key::mayBeWrittenBy);
  }

  /** True if another session had written the key in a transaction that was still open. */
  private static boolean isWrittenConcurrently(
      List<String> key, String table, Step refused, CaseExecution execution) {
    Pattern name =
        Pattern.compile("(?i)\\b(INTO|UPDATE)\\s+" + Pattern.quote(table) + "(?![\\w\"])");
    List<Integer> before = execution.order().subList(0, execution.order().indexOf(refused.id()));
    Set<String> ended = new HashSet<>();
    for (int i = before.size() - 1; i >= 0; i--) {
      StepOutcome write = execution.outcome(before.get(i));
      Step step = write.step();
      if (step.role() != Step.Role.WORK) {
        ended.add(step.session());
      } else if (!step.session().equals(refused.session())
          && !ended.contains(step.session())
          && write.updateCount() > 0
          && name.matcher(step.sql()).find()
          && mayHaveWritten(key, step.sql(), execution)) {
        return true;
      }
    }
    return false;
  }

  /** True if the key has values of the statement, and others only of rows of the set-up. */
  private static boolean mayHaveWritten(List<String> key, String sql, CaseExecution execution) {
    List<String> written = literals(sql);
    List<String> all = new ArrayList<>(written);
    execution.testCase().setup().forEach(setup -> all.addAll(literals(setup)));
    return all.containsAll(key) && key.stream().anyMatch(written::contains);
  }

  /** The literals of a text, with numbers normalized. */
  private static List<String> literals(String text) {
    List<String> found = new ArrayList<>();
    Matcher literal = LITERAL.matcher(TYPE.matcher(text).replaceAll(")"));
    while (literal.find()) {
      found.add(
          literal.group(2) == null
              ? "'" + literal.group(1)
              : new BigDecimal(literal.group(2)).stripTrailingZeros().toPlainString());
    }
    return found;
  }
}
