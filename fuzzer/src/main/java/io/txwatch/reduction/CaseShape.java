package io.txwatch.reduction;

import static java.util.stream.Collectors.toSet;

import io.txwatch.sql.dialect.Dialect;
import io.txwatch.sql.syntax.Span;
import io.txwatch.sql.syntax.TokenKind;
import io.txwatch.sql.syntax.Tokenizer;
import io.txwatch.sql.syntax.Tokens;
import io.txwatch.testcase.Step;
import io.txwatch.testcase.TestCase;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/**
 * What a reduced case has in common with others that show the same fault: its definitions and the
 * order of its sessions' statements, without the names of tables, columns and sessions, without
 * types, values, the rows of the set-up, columns without constraints, and sessions that execute no
 * statement.
 *
 * @param statements one line for each
 */
public record CaseShape(List<String> statements) {

  /** Copies its argument. */
  public CaseShape {
    statements = List.copyOf(statements);
  }

  /** Returns the shape of a case, whichever oracle reports it. */
  public static CaseShape of(TestCase testCase, Dialect dialect) {
    Names names = new Names(testCase, dialect);
    Map<String, Integer> sessions = new HashMap<>();
    List<String> lines = new ArrayList<>();
    for (String sql : testCase.setup()) {
      Tokens tokens = Tokenizer.tokenize(sql, dialect);
      if (tokens.count() > 0 && !tokens.isWord(0, "INSERT")) {
        lines.add(names.replaceIn(tokens, ShorterStatements.definition(sql, dialect).isPresent()));
      }
    }
    Set<String> working =
        testCase.steps().stream()
            .filter(step -> step.role() == Step.Role.WORK)
            .map(Step::session)
            .collect(toSet());
    for (Step step : testCase.steps()) {
      if (!working.contains(step.session())) {
        continue;
      }
      int session = sessions.computeIfAbsent(step.session(), any -> sessions.size() + 1);
      Tokens tokens = Tokenizer.tokenize(step.sql(), dialect);
      lines.add(session + ": " + names.replaceIn(tokens, false));
    }
    return new CaseShape(lines);
  }

  /** The names that the set-up defines, numbered in the order in which the case uses them. */
  private static final class Names {
    private final Map<String, Optional<String>> numbered = new HashMap<>();
    private int count;

    Names(TestCase testCase, Dialect dialect) {
      for (String sql : testCase.setup()) {
        ShorterStatements.definition(sql, dialect)
            .ifPresent(
                definition -> {
                  numbered.put(definition.table(), Optional.empty());
                  definition.columns().forEach(column -> numbered.put(column, Optional.empty()));
                });
      }
    }

    String replaceIn(Tokens tokens, boolean isDefinition) {
      Set<Integer> columns =
          isDefinition
              ? ShorterStatements.elements(tokens).stream().map(Span::from).collect(toSet())
              : Set.of();
      StringBuilder line = new StringBuilder();
      for (int i = 0; i < tokens.count(); i++) {
        if (columns.contains(i) && isPlainColumn(tokens, i)) {
          int after = afterType(tokens, i + 1); // the statements show whether the case uses it
          i = tokens.is(after, TokenKind.COMMA) ? after : after - 1;
          continue;
        }
        if (tokens.isAnyWord(i, "DATE", "TIME", "TIMESTAMP")
            && i + 1 < tokens.count()
            && tokens.is(i + 1, TokenKind.STRING)) {
          continue;
        }
        line.append(line.isEmpty() ? "" : " ").append(replaced(tokens, i));
        if (columns.contains(i) && numbered.containsKey(tokens.text(i)) && i + 1 < tokens.count()) {
          i = afterType(tokens, i + 1) - 1;
        }
      }
      return line.toString().replace(" , )", " )");
    }

    /** True if a column has a type and nothing else. */
    private boolean isPlainColumn(Tokens tokens, int i) {
      if (!numbered.containsKey(tokens.text(i)) || i + 2 >= tokens.count()) {
        return false;
      }
      int after = afterType(tokens, i + 1);
      return after < tokens.count()
          && (tokens.is(after, TokenKind.COMMA) || tokens.is(after, TokenKind.CLOSE));
    }

    private static int afterType(Tokens tokens, int type) {
      int after = type + 1;
      return after < tokens.count() && tokens.isOpen(after) ? tokens.next(after) : after;
    }

    private String replaced(Tokens tokens, int i) {
      String text = tokens.text(i);
      if (tokens.is(i, TokenKind.NUMBER) || tokens.is(i, TokenKind.STRING)) {
        return "?";
      }
      Optional<String> number = numbered.get(text);
      if (number == null) {
        return tokens.folded(i);
      }
      if (number.isEmpty()) {
        number = Optional.of("name" + ++count);
        numbered.put(text, number);
      }
      return number.get();
    }
  }
}
