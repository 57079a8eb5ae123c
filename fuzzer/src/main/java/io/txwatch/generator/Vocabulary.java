package io.txwatch.generator;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** What the statements of a case are made of. */
final class Vocabulary {

  final Chance chance;
  final Grammar grammar;
  final Workload workload;
  final Literals literals;
  final List<Table> tables;

  /** Conditions that were used before, by table: transactions meet where they choose alike. */
  private final Map<String, List<String>> used = new HashMap<>();

  Vocabulary(
      Chance chance, Grammar grammar, Workload workload, Literals literals, List<Table> tables) {
    this.chance = chance;
    this.grammar = grammar;
    this.workload = workload;
    this.literals = literals;
    this.tables = tables;
  }

  Table anyTable() {
    return chance.oneOf(tables);
  }

  /** MySQL does not let a write read its own table in a subquery. */
  List<Table> others(Table table) {
    return tables.stream().filter(other -> !other.equals(table)).toList();
  }

  /** Expressions whose subqueries read these tables. */
  Expressions expressions(List<Table> readable) {
    return new Expressions(chance, grammar, literals, readable);
  }

  /** A WHERE clause, or none. */
  String where(Table table, Expressions expressions) {
    int draw = chance.below(100);
    if (draw < 22) {
      return "";
    }
    List<String> before = used.computeIfAbsent(table.name(), first -> new ArrayList<>());
    if (draw < 42 && !before.isEmpty()) {
      return " WHERE " + chance.oneOf(before);
    }
    if (draw < 70) {
      String condition = expressions.simpleCondition();
      before.add(condition);
      return " WHERE " + condition;
    }
    return " WHERE " + expressions.condition();
  }
}
