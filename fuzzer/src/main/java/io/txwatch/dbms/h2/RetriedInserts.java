package io.txwatch.dbms.h2;

import io.txwatch.schedule.CaseExecution;
import io.txwatch.schedule.StepOutcome;
import io.txwatch.sql.syntax.Expression;
import io.txwatch.sql.syntax.Expression.Tuple;
import io.txwatch.sql.syntax.Span;
import io.txwatch.sql.syntax.Statement;
import io.txwatch.sql.syntax.TokenKind;
import io.txwatch.sql.syntax.Tokens;
import io.txwatch.testcase.SqlText;
import io.txwatch.testcase.StatementText;
import io.txwatch.testcase.Step;
import java.math.BigDecimal;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
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

  /** The columns of a secondary index, and the duplicate key in it. */
  private static final Pattern TAKEN =
      Pattern.compile("^[^\\n]*: INDEX ON [^\\n(]+\\(([^\\n)]*)\\) VALUES \\((.*)\\)\"; SQL");

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
    Insert insert = Insert.of(outcome.step().sql()).orElse(null);
    Matcher taken = TAKEN.matcher(outcome.message());
    if (insert == null || !taken.find()) {
      return false;
    }
    SqlText index = SqlText.of("(" + taken.group(1) + ")");
    List<String> columns = index.names(new Span(0, index.tokens().count()));
    List<List<String>> keys = insert.keys(columns);
    List<String> refused = literals(taken.group(2));
    int own = keys.indexOf(refused);
    return own >= 0
        && !isWrittenElsewhere(new Key(insert.table(), columns, refused), outcome.step(), execution)
        && keys.subList(own + 1, keys.size()).stream()
            .anyMatch(key -> isWrittenConcurrently(key, insert.table(), outcome.step(), execution));
  }

  /** An INSERT of rows with a list of columns. */
  private record Insert(SqlText text, String table, List<String> columns, List<Tuple> rows) {

    static Optional<Insert> of(String sql) {
      SqlText text = SqlText.of(sql);
      return text.tree() instanceof Statement.Insert insert
              && text.startsWith("INSERT", "INTO")
              && insert.from() == Statement.RowsFrom.VALUES
              && insert.conflicts().isEmpty()
              && insert.columns().isPresent()
          ? text.write()
              .map(
                  write ->
                      new Insert(
                          text, write.table(), text.names(insert.columns().get()), insert.tuples()))
          : Optional.empty();
    }

    /** The values that the rows have in some columns; empty for a row that lacks one. */
    List<List<String>> keys(List<String> ofColumns) {
      List<Integer> positions = ofColumns.stream().map(columns::indexOf).toList();
      return rows.stream().map(row -> key(row.items(), positions)).toList();
    }

    private List<String> key(List<Expression> values, List<Integer> positions) {
      List<String> key = new ArrayList<>();
      for (int position : positions) {
        if (position < 0 || position >= values.size()) {
          return List.of();
        }
        key.addAll(literals(text, values.get(position).span()));
      }
      return key;
    }
  }

  /** Values of the columns of an index. */
  private record Key(String table, List<String> columns, List<String> values) {

    /**
     * True if a statement may write it. Of an INSERT into the table only the columns of the index
     * count; for one that is not in its list, the definition has the default.
     */
    boolean mayBeWrittenBy(String sql) {
      Optional<Insert> insert = Insert.of(sql).filter(one -> one.table().equals(table));
      if (insert.isPresent()) {
        return insert.get().keys(columns).contains(values);
      }
      SqlText text = SqlText.of(sql);
      int from = text.indexOf(0, "VALUES") + 1;
      return text.tokens().items(from, text.tokens().count()).stream()
          .anyMatch(row -> literals(text, row).containsAll(values));
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
          && SqlText.of(step.sql()).writes(table)
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

  private static List<String> literals(String sql) {
    SqlText text = SqlText.of(sql);
    return literals(text, new Span(0, text.tokens().count()));
  }

  /** The literals of a stretch, but not those of types, with numbers normalized. */
  private static List<String> literals(SqlText text, Span span) {
    Tokens tokens = text.tokens();
    List<String> found = new ArrayList<>();
    for (int i = span.from(); i < span.to(); i++) {
      if (tokens.isWord(i, "AS")) {
        i = endOfType(tokens, i + 1) - 1;
      } else if (tokens.is(i, TokenKind.STRING)) {
        String quoted = tokens.text(i);
        found.add(quoted.substring(quoted.indexOf('\''), quoted.length() - 1));
      } else if (tokens.is(i, TokenKind.NUMBER) && isDecimal(tokens.text(i))) {
        BigDecimal value = new BigDecimal(tokens.text(i));
        boolean isNegative = tokens.isOperator(i - 1, '-') && !isOperand(tokens, i - 2);
        found.add((isNegative ? value.negate() : value).stripTrailingZeros().toPlainString());
      }
    }
    return found;
  }

  private static int endOfType(Tokens tokens, int from) {
    int i = from;
    while (tokens.is(i, TokenKind.WORD)) {
      i++;
    }
    return i > from && tokens.isOpen(i) ? tokens.next(i) : i;
  }

  private static boolean isDecimal(String number) {
    return number.chars().allMatch(c -> c == '.' || (c >= '0' && c <= '9'));
  }

  private static boolean isOperand(Tokens tokens, int i) {
    return tokens.isName(i) || tokens.is(i, TokenKind.NUMBER) || tokens.is(i, TokenKind.CLOSE);
  }
}
