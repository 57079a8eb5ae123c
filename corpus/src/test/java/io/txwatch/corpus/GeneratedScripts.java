package io.txwatch.corpus;

import io.txwatch.corpus.Script.Step;
import io.txwatch.servers.ServerKind;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Generates scripts from seeds; the same seed generates the same script. About two of three
 * statements are queries, and one in four has parameters, with which it is executed twice.
 */
final class GeneratedScripts {

  /** Numbers that can be replaced by parameters: operands of comparisons. */
  private static final Pattern OPERAND =
      Pattern.compile("(?<= [=<>] |>= |<= |<> )\\d{1,6}\\b(?!\\.)");

  private GeneratedScripts() {}

  static Script of(ServerKind kind, long seed, int length) {
    RandomSource random = new RandomSource(seed, kind);
    QueryGenerator queries = new QueryGenerator(random);
    WriteGenerator writes = new WriteGenerator(random);
    List<Step> steps = new ArrayList<>();
    for (int i = 0; i < length; i++) {
      random.singleBlock = random.percent(70);
      String sql = random.percent(65) ? queries.query() : writes.write();
      steps.add(random.percent(25) ? withParameters(sql, random) : step(sql, random));
    }
    return new Script("seed " + seed, seed % 2 == 0, List.copyOf(steps));
  }

  private static Step step(String sql, RandomSource random) {
    return new Step(sql, List.of(), ExecutionMethod.choose(sql, false, random.below(4)));
  }

  private static Step withParameters(String sql, RandomSource random) {
    if (sql.contains("?")) {
      return step(sql, random);
    }
    Matcher matcher = OPERAND.matcher(sql);
    List<Object> first = new ArrayList<>();
    List<Object> second = new ArrayList<>();
    StringBuilder text = new StringBuilder();
    while (matcher.find()) {
      first.add(Integer.valueOf(matcher.group()));
      second.add(Integer.parseInt(matcher.group()) + 1);
      matcher.appendReplacement(text, "?");
    }
    matcher.appendTail(text);
    if (first.isEmpty()) {
      return step(sql, random);
    }
    boolean rows = StatementTraits.isQueryOrWrite(sql);
    return new Step(
        text.toString(),
        List.of(first, second),
        rows ? ExecutionMethod.choose(sql, true, random.below(3)) : ExecutionMethod.PREPARED);
  }
}
