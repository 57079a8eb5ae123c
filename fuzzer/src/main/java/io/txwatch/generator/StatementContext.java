package io.txwatch.generator;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** What the statements of a case are generated from. */
final class StatementContext {

  final RandomSource random;
  final GeneratedDialect grammar;
  final CaseKind caseKind;
  final CaseLiterals literals;
  final List<GeneratedTable> tables;

  /** Earlier conditions by table: with equal conditions, transactions use the same rows. */
  private final Map<String, List<String>> used = new HashMap<>();

  StatementContext(
      RandomSource random,
      GeneratedDialect grammar,
      CaseKind caseKind,
      CaseLiterals literals,
      List<GeneratedTable> tables) {
    this.random = random;
    this.grammar = grammar;
    this.caseKind = caseKind;
    this.literals = literals;
    this.tables = tables;
  }

  GeneratedTable randomTable() {
    return random.oneOf(tables);
  }

  /** MySQL does not let a write read its own table in a subquery. */
  List<GeneratedTable> otherTables(GeneratedTable table) {
    return tables.stream().filter(other -> !other.equals(table)).toList();
  }

  /** Expressions whose subqueries read these tables. */
  ExpressionGenerator expressions(List<GeneratedTable> readable) {
    return new ExpressionGenerator(random, grammar, literals, readable);
  }

  /** A WHERE clause, or an empty text. */
  String where(GeneratedTable table, ExpressionGenerator expressions) {
    Optional<String> production = Productions.of(grammar).draw("where", random);
    if (production.isPresent()) {
      return " WHERE " + expressions.filled(production.get());
    }
    int form = random.alternative("where", 22, 20, 28, 30);
    if (form == 0) {
      return "";
    }
    List<String> before = used.computeIfAbsent(table.name(), first -> new ArrayList<>());
    if (form == 1 && !before.isEmpty()) {
      return " WHERE " + random.oneOf(before);
    }
    if (form <= 2) {
      String condition = expressions.simpleCondition();
      before.add(condition);
      return " WHERE " + condition;
    }
    return " WHERE " + expressions.condition();
  }
}
