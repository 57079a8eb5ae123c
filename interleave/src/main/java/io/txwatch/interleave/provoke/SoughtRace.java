package io.txwatch.interleave.provoke;

import io.txwatch.history.IsolationLevel;
import io.txwatch.predict.OperationTemplate;
import io.txwatch.predict.RaceCandidate;
import io.txwatch.predict.TemplateConflict;
import io.txwatch.predict.TemplateStatement;
import java.util.List;
import java.util.Optional;

/**
 * A race of two transactions, as the gate seeks it: the first one reads, the second one writes what
 * was read and commits, the first one goes on.
 *
 * @param level of the first transaction
 * @param read the statement behind which the first transaction is held
 * @param write the statement of the second one that it is held for
 * @param table the table whose rows both use
 * @param partner all statements of the second transaction
 * @param isOfOneOperation true if both transactions execute the same
 */
record SoughtRace(
    IsolationLevel level,
    StatementPlace read,
    StatementPlace write,
    String table,
    List<StatementPlace> partner,
    boolean isOfOneOperation) {

  SoughtRace {
    partner = List.copyOf(partner);
  }

  /** Empty for one of more than two transactions, or at another level. */
  static Optional<SoughtRace> of(RaceCandidate candidate, IsolationLevel level) {
    OperationTemplate first = candidate.operations().get(0);
    TemplateConflict conflict = candidate.conflicts().get(0);
    if (candidate.operations().size() != 2 || !first.levels().contains(level)) {
      return Optional.empty();
    }
    OperationTemplate second = candidate.operations().get(1);
    return Optional.of(
        new SoughtRace(
            level,
            place(conflict.fromStatement()),
            place(conflict.toStatement()),
            conflict.table(),
            second.statements().stream().map(SoughtRace::place).toList(),
            first.equals(second)));
  }

  private static StatementPlace place(TemplateStatement statement) {
    return StatementPlace.of(statement.sql(), statement.callSite());
  }

  boolean isOfPartner(StatementPlace statement) {
    return partner.stream().anyMatch(statement::matches);
  }
}
