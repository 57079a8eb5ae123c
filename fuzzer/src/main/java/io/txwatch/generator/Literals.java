package io.txwatch.generator;

import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;

/**
 * The literals of a case: few, so that the statements of different transactions meet in the same
 * rows, and write what is there already.
 */
final class Literals {

  private static final int MOST = 3;

  private final Chance chance;
  private final Grammar grammar;
  private final Map<SqlType, List<String>> common = new EnumMap<>(SqlType.class);

  Literals(Chance chance, Grammar grammar) {
    this.chance = chance;
    this.grammar = grammar;
    for (SqlType type : SqlType.values()) {
      List<String> drawn = new ArrayList<>();
      for (int i = chance.between(1, MOST); i > 0; i--) {
        drawn.add(any(type));
      }
      common.put(type, drawn);
    }
  }

  /** A literal. */
  String of(SqlType type) {
    List<String> drawn = common.getOrDefault(type, List.of());
    return chance.in100(70) ? chance.oneOf(drawn) : any(type);
  }

  private String any(SqlType type) {
    return any(chance, grammar, type);
  }

  /** Any literal of that type. */
  static String any(Chance chance, Grammar grammar, SqlType type) {
    return switch (type) {
      case INT -> String.valueOf(chance.between(-1, 9));
      case DECIMAL -> chance.between(0, 9) + "." + chance.oneOf("0", "5", "25");
      case TEXT -> "'" + chance.oneOf("", "a", "b", "ab", "c") + "'";
      case DATE -> grammar.date("2024-02-2" + chance.between(0, 9));
    };
  }

  /** One that differs from those of other rows. */
  static String distinct(Grammar grammar, SqlType type, int row) {
    return switch (type) {
      case INT -> String.valueOf(row);
      case DECIMAL -> row + ".5";
      case TEXT -> "'" + (char) ('a' + row) + "'";
      case DATE -> grammar.date("2024-02-2" + row);
    };
  }
}
