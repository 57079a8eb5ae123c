package io.txwatch.junit;

import io.txwatch.anomaly.Phenomenon;
import io.txwatch.history.Product;
import io.txwatch.predict.LevelledCandidate;
import io.txwatch.predict.OperationTemplate;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Stream;

/**
 * The pairs of operations of a suite that may race. None is proven.
 *
 * @param pairs the pairs, each once, those that may lose an update first
 * @param operations the number of operations that were observed
 * @param rolledBack the number of transactions that were rolled back, which show nothing
 */
record PredictedPairs(List<Pair> pairs, long operations, long rolledBack) {

  /**
   * Two operations.
   *
   * @param first the name of the first one
   * @param second the name of the second one, the same if two clients execute it
   * @param races what may happen between them
   */
  record Pair(Operation first, Operation second, List<Race> races) {}

  /**
   * An operation.
   *
   * @param name its name
   * @param callSite where its first statement is executed; empty if unknown
   * @param tests some of the tests that executed it
   */
  record Operation(String name, String callSite, List<TestCall> tests) {}

  /**
   * A race.
   *
   * @param dbms the DBMS that the operations were executed on
   * @param candidate the operations as they were observed, in either order
   */
  record Race(Product dbms, LevelledCandidate candidate) {}

  PredictedPairs {
    pairs = List.copyOf(pairs);
  }

  static PredictedPairs of(
      List<LevelledCandidate> candidates,
      Map<LevelledCandidate, Product> products,
      Map<String, Set<String>> tests,
      Map<String, TestCall> calls,
      long operations,
      long rolledBack) {
    Map<List<String>, List<LevelledCandidate>> byNames = new LinkedHashMap<>();
    for (LevelledCandidate one : candidates) {
      List<String> names =
          one.candidate().operations().stream().map(OperationTemplate::name).sorted().toList();
      byNames.computeIfAbsent(names, both -> new ArrayList<>()).add(one);
    }
    List<Pair> pairs = new ArrayList<>();
    for (List<LevelledCandidate> same : byNames.values()) {
      List<OperationTemplate> both = same.get(0).candidate().operations();
      pairs.add(
          new Pair(
              operation(both.get(0), tests, calls),
              operation(both.get(both.size() - 1), tests, calls),
              same.stream()
                  .map(one -> new Race(products.getOrDefault(one, Product.UNKNOWN), one))
                  .toList()));
    }
    pairs.sort(Comparator.comparing(PredictedPairs::losesNoUpdate));
    return new PredictedPairs(pairs, operations, rolledBack);
  }

  /** What is lost is seldom intended, whereas a read that is skewed may be. */
  private static boolean losesNoUpdate(Pair pair) {
    return pair.races().stream()
        .noneMatch(race -> race.candidate().candidate().phenomenon() == Phenomenon.LOST_UPDATE);
  }

  private static Operation operation(
      OperationTemplate template, Map<String, Set<String>> tests, Map<String, TestCall> calls) {
    return new Operation(
        template.name(),
        template.callSite(),
        tests.getOrDefault(template.name(), Set.of()).stream()
            .flatMap(name -> Stream.ofNullable(calls.get(name)))
            .sorted(Comparator.comparing(TestCall::name))
            .toList());
  }
}
