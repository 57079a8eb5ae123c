package io.txwatch.generator;

import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;

/**
 * The literals of a case: few, so that the statements of different transactions use the same rows
 * and write existing values.
 */
final class CaseLiterals {

  private static final int MAX_COMMON = 3;

  private final RandomSource random;
  private final GeneratedDialect grammar;
  private final Map<SqlType, List<String>> common = new EnumMap<>(SqlType.class);

  CaseLiterals(RandomSource random, GeneratedDialect grammar) {
    this.random = random;
    this.grammar = grammar;
    for (SqlType type : SqlType.values()) {
      List<String> drawn = new ArrayList<>();
      for (int i = random.between(1, MAX_COMMON); i > 0; i--) {
        drawn.add(any(type));
      }
      common.put(type, drawn);
    }
  }

  /** A literal, mostly one of the few. */
  String of(SqlType type) {
    List<String> drawn = common.getOrDefault(type, List.of());
    return random.percent(70) ? random.oneOf(drawn) : any(type);
  }

  private String any(SqlType type) {
    return any(random, grammar, type);
  }

  /** Any literal of the type. */
  static String any(RandomSource random, GeneratedDialect grammar, SqlType type) {
    return switch (type) {
      case INT -> String.valueOf(random.between(-1, 9));
      case DECIMAL -> random.between(0, 9) + "." + random.oneOf("0", "5", "25");
      case TEXT -> "'" + random.oneOf("", "a", "b", "ab", "c") + "'";
      case DATE -> grammar.date("2024-02-2" + random.between(0, 9));
      case BOOLEAN -> random.oneOf("TRUE", "FALSE");
      case UNSIGNED -> String.valueOf(random.between(0, 9));
    };
  }

  /** A literal that differs from those of other rows. */
  static String distinct(GeneratedDialect grammar, SqlType type, int row) {
    return switch (type) {
      case INT, UNSIGNED -> String.valueOf(row);
      case DECIMAL -> row + ".5";
      case TEXT -> "'" + (char) ('a' + row) + "'";
      case DATE -> grammar.date("2024-02-2" + row);
      case BOOLEAN -> row % 2 == 0 ? "TRUE" : "FALSE";
    };
  }
}
