package io.txwatch.testcase;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/**
 * Reads Troc's case files (Dou et al., ICSE 2023): the set-up, one statement a line; after an empty
 * line each, the two transactions, each preceded by its level ({@code RU}, {@code RC}, {@code RR},
 * {@code SER}); the order of submission, {@code 1-2-1-1-2}; then {@code END} and remarks.
 *
 * <p>The level becomes the header {@code isolation}. If the transactions have different levels,
 * there is no single level to replay at: the header has the first one, {@code isolation-T2} the
 * second.
 */
final class TrocCaseReader {

  private static final Set<String> LEVELS = Set.of("RU", "RC", "RR", "SER");

  private TrocCaseReader() {}

  static TestCase parse(String name, String text) throws CaseFormatException {
    List<List<String>> blocks = blocks(text);
    if (blocks.size() < 4 || !isLevel(blocks.get(1)) || !isLevel(blocks.get(2))) {
      throw new CaseFormatException(
          name,
          0,
          "not a case: expected lines 'I: sql', 'T1: sql', 'F: sql', or Troc's four parts with an"
              + " empty line between them (set-up, level and first transaction, level and second"
              + " transaction, order)");
    }
    Map<String, String> headers = new LinkedHashMap<>();
    headers.put("format", "troc");
    headers.put("isolation", level(blocks.get(1)));
    if (!level(blocks.get(2)).equals(level(blocks.get(1)))) {
      headers.put(TestCase.LEVEL_HEADER + "T2", level(blocks.get(2)));
    }
    Map<String, Deque<String>> waiting =
        Map.of("1", statements(blocks.get(1)), "2", statements(blocks.get(2)));
    List<Step> steps = new ArrayList<>();
    String order = blocks.get(3).get(0);
    for (String who : order.split("-", -1)) {
      Deque<String> own = waiting.get(who.strip());
      if (own == null) {
        throw new CaseFormatException(
            name, 0, "the order '" + order + "' names '" + who + "', expected 1 or 2");
      }
      if (own.isEmpty()) {
        throw new CaseFormatException(
            name, 0, "the order '" + order + "' has more turns for T" + who + " than statements");
      }
      steps.add(new Step(steps.size() + 1, "T" + who.strip(), Optional.empty(), own.remove()));
    }
    for (Map.Entry<String, Deque<String>> rest : waiting.entrySet()) {
      if (!rest.getValue().isEmpty()) {
        throw new CaseFormatException(
            name,
            0,
            "the order '"
                + order
                + "' leaves out '"
                + rest.getValue().peek()
                + "' of T"
                + rest.getKey());
      }
    }
    return new TestCase(name, headers, blocks.get(0), steps, List.of());
  }

  /** The blocks up to END, separated by empty lines. */
  private static List<List<String>> blocks(String text) {
    List<List<String>> blocks = new ArrayList<>();
    List<String> block = new ArrayList<>();
    for (String raw : text.lines().toList()) {
      String line = raw.strip();
      boolean end = line.equals("END");
      if (line.isEmpty() || end) {
        if (!block.isEmpty()) {
          blocks.add(block);
          block = new ArrayList<>();
        }
        if (end) {
          break;
        }
      } else {
        block.add(line.replaceFirst(";$", ""));
      }
    }
    if (!block.isEmpty()) {
      blocks.add(block);
    }
    return blocks;
  }

  private static boolean isLevel(List<String> block) {
    return LEVELS.contains(level(block));
  }

  private static String level(List<String> block) {
    return block.get(0);
  }

  private static Deque<String> statements(List<String> block) {
    return new ArrayDeque<>(block.subList(1, block.size()));
  }
}
