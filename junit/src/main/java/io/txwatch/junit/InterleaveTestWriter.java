package io.txwatch.junit;

import io.txwatch.dependency.DependencyKind;
import io.txwatch.history.CallSite;
import io.txwatch.history.IsolationLevel;
import io.txwatch.junit.PredictedPairs.Operation;
import io.txwatch.junit.PredictedPairs.Pair;
import io.txwatch.junit.PredictedPairs.Race;
import io.txwatch.predict.KeyEquality;
import io.txwatch.predict.TemplateConflict;
import io.txwatch.predict.TemplateStatement;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.stream.Collectors;

/**
 * Writes a Java class with an {@link InterleaveTest} for each pair of operations, in which the two
 * calls have to be filled in. It compiles as it is, and is plain ASCII: the compiler may expect any
 * encoding.
 */
final class InterleaveTestWriter {

  static final int MAX_PAIRS = 200;

  private static final int MAX_RACES = 5;
  private static final int MAX_SQL = 300;
  private static final int MAX_NAME = 80;

  private final StringBuilder text = new StringBuilder();
  private final Set<String> methods = new HashSet<>();

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
    comment(
        "", "Pairs of operations that may race, derived by txwatch from what one client did in");
    comment("", "the tests. None is proven. The next run of the tests overwrites this file.");
    comment("", "");
    comment(
        "", "To prove one: copy its method into a class of tests, replace both throw statements");
    comment("", "by calls of the application, with values for which the keys that it names are");
    comment("", "equal, and run it. If it passes, no order of the calls races with these values.");
    comment("", "A test that does nothing else may be the operation: then copy it to that class.");
    int pairs = found.pairs().size();
    comment("", "");
    comment(
        "", "Operations, with their variants: " + found.operations() + ". Pairs: " + pairs + ".");
    if (pairs > MAX_PAIRS) {
      comment("", "The first " + MAX_PAIRS + " follow.");
    }
    if (found.rolledBack() > 0) {
      comment("", "Transactions that were rolled back, and show nothing: " + found.rolledBack());
    }
    line("import io.txwatch.junit.InterleaveTest;");
    line("import io.txwatch.junit.Interleaving;");
    line("");
    line("class " + className + " {");
    found.pairs().stream().limit(MAX_PAIRS).forEach(this::pair);
    line("}");
    return text.toString();
  }

  private void pair(Pair pair) {
    line("");
    comment("  ", pair.first().name() + " and " + pair.second().name() + ":");
    pair.races().stream().limit(MAX_RACES).forEach(this::race);
    if (pair.races().size() > MAX_RACES) {
      comment("  ", "- and " + (pair.races().size() - MAX_RACES) + " more");
    }
    if (pair.first().equals(pair.second())) {
      origin(pair.first(), "Each");
    } else {
      origin(pair.first(), "A");
      origin(pair.second(), "B");
    }
    line("  @InterleaveTest");
    line("  void " + method(pair) + "(Interleaving run) {");
    operation(pair.first(), "A");
    operation(pair.second(), "B");
    line("  }");
  }

  private void race(Race race) {
    List<IsolationLevel> levels = race.candidate().levels().stream().distinct().toList();
    comment(
        "  ",
        "- "
            + race.candidate().candidate().phenomenon().term()
            + " at "
            + levels.stream().map(Enum::name).collect(Collectors.joining(" and "))
            + " of "
            + race.dbms().displayName());
    for (TemplateConflict conflict : race.candidate().candidate().conflicts()) {
      comment(
          "  ",
          "    "
              + side(conflict.from())
              + verb(conflict.kind(), true)
              + at(conflict.fromStatement()));
      comment(
          "  ",
          "    " + side(conflict.to()) + verb(conflict.kind(), false) + at(conflict.toStatement()));
    }
    Set<String> keys = new LinkedHashSet<>();
    race.candidate().candidate().keys().forEach(key -> keys.add(key(key)));
    comment(
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
      comment("  ", sides + " begins at " + CallSite.shown(operation.callSite()));
    }
    for (TestCall test : operation.tests()) {
      comment(
          "  ",
          "    executed by "
              + test.name()
              + (test.call().isEmpty() ? "" : ", which is () -> " + test.call() + " in its class"));
    }
  }

  private void operation(Operation operation, String side) {
    String name = limited(operation.name());
    line("    run.operation(");
    line("        " + literal(name + " " + side) + ",");
    line("        () -> {");
    line("          throw new UnsupportedOperationException(" + literal("call " + name) + ");");
    line("        });");
  }

  /** {@code sellAndRestock}, {@code sellTwice}: unique in the class, and no word of Java. */
  private String method(Pair pair) {
    String first = identifier(pair.first().name());
    String second = identifier(pair.second().name());
    String both =
        pair.first().name().equals(pair.second().name())
            ? first + "Twice"
            : first + "And" + second.substring(0, 1).toUpperCase(Locale.ROOT) + second.substring(1);
    String unique = both;
    for (int number = 2; !methods.add(unique); number++) {
      unique = both + number;
    }
    return unique;
  }

  private static String identifier(String operation) {
    String last =
        operation.indexOf('/') >= 0
            ? operation.toLowerCase(Locale.ROOT)
            : operation.substring(operation.lastIndexOf('.') + 1);
    StringBuilder name = new StringBuilder();
    boolean isNewWord = false;
    for (char c : limited(last).toCharArray()) {
      if (c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9') {
        name.append(
            name.isEmpty() ? Character.toLowerCase(c) : isNewWord ? Character.toUpperCase(c) : c);
        isNewWord = false;
      } else {
        isNewWord = true;
      }
    }
    return name.isEmpty() || Character.isDigit(name.charAt(0))
        ? "operation" + name
        : name.toString();
  }

  private static String limited(String name) {
    return name.length() <= MAX_NAME ? name : name.substring(0, MAX_NAME);
  }

  private static String literal(String value) {
    return '"' + value.replace("\\", "\\\\").replace("\"", "\\\"") + '"';
  }

  /** A comment of one line, in which nothing is an escape. */
  private void comment(String indent, String content) {
    line((indent + "// " + content.replace("\\", "\\\\")).stripTrailing());
  }

  private void line(String content) {
    for (char c : content.toCharArray()) {
      if (c >= ' ' && c < 127) {
        text.append(c);
      } else if (c <= 127) {
        text.append(' ');
      } else {
        text.append(String.format(Locale.ROOT, "\\u%04x", (int) c));
      }
    }
    text.append('\n');
  }
}
