package io.txwatch.junit;

import io.txwatch.dependency.DependencyKind;
import io.txwatch.history.CallSite;
import io.txwatch.history.IsolationLevel;
import io.txwatch.junit.PredictedPairs.Operation;
import io.txwatch.junit.PredictedPairs.Pair;
import io.txwatch.junit.PredictedPairs.Race;
import io.txwatch.predict.JavaTestText;
import io.txwatch.predict.KeyEquality;
import io.txwatch.predict.TemplateConflict;
import io.txwatch.predict.TemplateStatement;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;

/**
 * Writes a Java class with an {@link InterleaveTest} for each pair of operations, in which the two
 * calls have to be filled in. It compiles as it is.
 */
final class InterleaveTestWriter {

  static final int MAX_PAIRS = 200;

  private static final int MAX_RACES = 5;
  private static final int MAX_SQL = 300;

  private final JavaTestText text = new JavaTestText();

  private InterleaveTestWriter() {}

  /**
   * The text of the class.
   *
   * @param className its name
   */
  static String write(PredictedPairs found, String className) {
    return new InterleaveTestWriter().text(found, className);
  }

  private String text(PredictedPairs found, String className) {
    text.comment(
        "", "Pairs of operations that may race, derived by txwatch from what one client did in");
    text.comment("", "the tests. None is proven. The next run of the tests overwrites this file.");
    text.comment("", "");
    text.comment(
        "", "To prove one: copy its method into a class of tests, replace both throw statements");
    text.comment(
        "", "by calls of the application, with values for which the keys that it names are");
    text.comment(
        "", "equal, and run it. If it passes, no order of the calls races with these values.");
    text.comment(
        "", "A test that does nothing else may be the operation: then copy it to that class.");
    int pairs = found.pairs().size();
    text.comment("", "");
    text.comment(
        "", "Operations, with their variants: " + found.operations() + ". Pairs: " + pairs + ".");
    if (pairs > MAX_PAIRS) {
      text.comment("", "The first " + MAX_PAIRS + " follow.");
    }
    if (found.rolledBack() > 0) {
      text.comment(
          "", "Transactions that were rolled back, and show nothing: " + found.rolledBack());
    }
    text.line("import io.txwatch.junit.InterleaveTest;");
    text.line("import io.txwatch.junit.Interleaving;");
    text.line("");
    text.line("class " + className + " {");
    found.pairs().stream().limit(MAX_PAIRS).forEach(this::pair);
    text.line("}");
    return text.toString();
  }

  private void pair(Pair pair) {
    text.line("");
    text.comment("  ", pair.first().name() + " and " + pair.second().name() + ":");
    pair.races().stream().limit(MAX_RACES).forEach(this::race);
    if (pair.races().size() > MAX_RACES) {
      text.comment("  ", "- and " + (pair.races().size() - MAX_RACES) + " more");
    }
    if (pair.first().equals(pair.second())) {
      origin(pair.first(), "Each");
    } else {
      origin(pair.first(), "A");
      origin(pair.second(), "B");
    }
    text.line("  @InterleaveTest");
    text.line(
        "  void "
            + text.method(pair.first().name(), pair.second().name())
            + "(Interleaving run) {");
    text.operation(pair.first().name(), "A");
    text.operation(pair.second().name(), "B");
    text.line("  }");
  }

  private void race(Race race) {
    List<IsolationLevel> levels = race.candidate().levels().stream().distinct().toList();
    text.comment(
        "  ",
        "- "
            + race.candidate().candidate().phenomenon().term()
            + " at "
            + levels.stream().map(Enum::name).collect(Collectors.joining(" and "))
            + " of "
            + race.dbms().displayName());
    for (TemplateConflict conflict : race.candidate().candidate().conflicts()) {
      text.comment(
          "  ",
          "    "
              + side(conflict.from())
              + verb(conflict.kind(), true)
              + at(conflict.fromStatement()));
      text.comment(
          "  ",
          "    " + side(conflict.to()) + verb(conflict.kind(), false) + at(conflict.toStatement()));
    }
    Set<String> keys = new LinkedHashSet<>();
    race.candidate().candidate().keys().forEach(key -> keys.add(key(key)));
    text.comment(
        "  ",
        keys.isEmpty() ? "    whatever the keys are" : "    if equal: " + String.join("; ", keys));
  }

  private static String side(int instance) {
    return instance == 0 ? "A" : "B";
  }

  private static String verb(DependencyKind kind, boolean earlier) {
    return earlier
        ? kind == DependencyKind.RW ? " reads:  " : " writes: "
        : kind == DependencyKind.WR ? " then reads:  " : " then writes: ";
  }

  private static String at(TemplateStatement statement) {
    String sql = statement.sql().strip().replaceAll("\\s+", " ");
    String cut = sql.length() <= MAX_SQL ? sql : sql.substring(0, MAX_SQL) + " ...";
    String line = CallSite.place(statement.callSite());
    return line.isEmpty() ? cut : cut + " (" + line + ")";
  }

  private static String key(KeyEquality key) {
    return key.table()
        + "."
        + key.column()
        + " of "
        + side(Math.min(key.first(), key.second()))
        + " and of "
        + side(Math.max(key.first(), key.second()));
  }

  /** Where an operation was executed: a hint at what to call. */
  private void origin(Operation operation, String sides) {
    if (!operation.callSite().isEmpty()) {
      text.comment("  ", sides + " begins at " + CallSite.shown(operation.callSite()));
    }
    for (TestCall test : operation.tests()) {
      text.comment(
          "  ",
          "    executed by "
              + test.name()
              + (test.call().isEmpty() ? "" : ", which is () -> " + test.call() + " in its class"));
    }
  }
}
