package io.txwatch.corpus;

import io.txwatch.corpus.Script.Step;
import io.txwatch.servers.ServerKind;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Scripts from seeds. The same seed makes the same script. */
final class GeneratedScripts {

  /** Numbers that can be parameters: operands of comparisons. */
  private static final Pattern OPERAND =
      Pattern.compile("(?<= [=<>] |>= |<= |<> )\\d{1,6}\\b(?!\\.)");

  private GeneratedScripts() {}

  static Script of(ServerKind kind, long seed, int length) {
    RandomSource random = new RandomSource(seed, kind);
    QueryGenerator queries = new QueryGenerator(random);
    WriteGenerator writes = new WriteGenerator(random);
    List<Step> steps = new ArrayList<>();
    for (int i = 0; i < length; i++) {
      random.simple = random.maybe(70);
      String sql = random.maybe(65) ? queries.query() : writes.write();
      steps.add(random.maybe(25) ? withParameters(sql, random) : step(sql, random));
    }
    return new Script("seed " + seed, seed % 2 == 0, List.copyOf(steps));
  }

  private static Step step(String sql, RandomSource random) {
    return new Step(sql, List.of(), CorpusFiles.way(sql, false, random.below(4)));
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
    boolean rows = Texts.isOfRows(sql);
    return new Step(
        text.toString(),
        List.of(first, second),
        rows ? CorpusFiles.way(sql, true, random.below(3)) : Way.PREPARED);
  }
}
