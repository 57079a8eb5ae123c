package io.txwatch.campaign;

import static java.util.stream.Collectors.toSet;

import io.txwatch.history.IsolationLevel;
import io.txwatch.oracle.OracleVerdict;
import io.txwatch.schedule.CaseExecution;
import io.txwatch.schedule.StepOutcome;
import io.txwatch.testcase.SqlText;
import io.txwatch.testcase.Step;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/**
 * What the sessions of a reduced case do, by which findings of different faults differ although one
 * fault may have several: in the order of completion who reads, writes and ends a transaction, up
 * to the statement that shows the violation. INSERT, UPDATE and DELETE are the same, except for a
 * statement that shows the violation and for the writes of a session without others. Left out are
 * sessions that execute no statement; what the session that shows the violation reads and writes
 * before; and, if a session without others rolls writes back, all that follows: it shows what the
 * rollback left.
 *
 * @param oracle the oracle that reports it
 * @param level the weakest level that shows it
 * @param difference the phenomenon, or the kind of the statement that shows it
 * @param steps a session's number and what it does
 */
record SessionRoles(String oracle, IsolationLevel level, String difference, List<String> steps) {

  private static final String UNDONE = "what a rollback left";

  /** Copies its argument. */
  SessionRoles {
    steps = List.copyOf(steps);
  }

  /** The roles by the verdict of each oracle that reports the reduced case. */
  static Set<SessionRoles> of(CampaignFinding finding) {
    Set<SessionRoles> roles = new LinkedHashSet<>();
    roles.add(of(finding, finding.verdict()));
    finding.others().stream()
        .filter(verdict -> verdict.result() == OracleVerdict.Result.VIOLATION)
        .forEach(verdict -> roles.add(of(finding, verdict)));
    return roles;
  }

  private static SessionRoles of(CampaignFinding finding, OracleVerdict verdict) {
    CaseExecution execution = finding.execution();
    Optional<Step> shown = verdict.statement();
    boolean isAlone = finding.reduced().sessions().size() == 1;
    Set<String> working =
        finding.reduced().steps().stream()
            .filter(step -> step.role() == Step.Role.WORK)
            .map(Step::session)
            .collect(toSet());
    boolean hasWritten = false;
    Map<String, Integer> numbers = new HashMap<>();
    shown.ifPresent(step -> numbers.put(step.session(), 1));
    Set<String> inTransaction = new LinkedHashSet<>();
    List<String> steps = new ArrayList<>();
    for (int id : execution.order()) {
      StepOutcome outcome = execution.outcome(id);
      Step step = outcome.step();
      if (shown.equals(Optional.of(step))) {
        break;
      }
      if (!working.contains(step.session())) {
        continue;
      }
      int number = numbers.computeIfAbsent(step.session(), any -> numbers.size() + 1);
      SqlText text = SqlText.of(step.sql());
      if (step.role() == Step.Role.BEGIN) {
        inTransaction.add(step.session());
      } else if (step.role() != Step.Role.WORK || text.isSavepoint()) {
        if (step.role() != Step.Role.WORK) {
          inTransaction.remove(step.session());
        }
        if (isAlone && hasWritten && text.startsWith("ROLLBACK")) {
          return new SessionRoles(
              verdict.oracle(), finding.level(), UNDONE, List.of(control(step)));
        }
        add(steps, number + " " + control(step));
      } else if (outcome.succeeded()) {
        boolean isWrite = !text.writes().isEmpty();
        hasWritten |= isWrite;
        if (isAlone) {
          add(steps, number + " " + (isWrite ? text.writes().get(0).verb() : "reads"));
        } else if (shown.isEmpty() || !shown.get().session().equals(step.session())) {
          add(steps, number + (isWrite ? " writes" : " reads"));
        }
        if (isWrite && !inTransaction.contains(step.session())) {
          add(steps, number + " commits");
        }
      }
    }
    if (shown.isEmpty() && !inTransaction.isEmpty()) { // rolled back when the case ended
      if (isAlone && hasWritten) {
        return new SessionRoles(verdict.oracle(), finding.level(), UNDONE, List.of("rolls back"));
      }
      inTransaction.forEach(session -> steps.add(numbers.get(session) + " rolls back"));
    }
    return new SessionRoles(
        verdict.oracle(), finding.level(), difference(execution, verdict), steps);
  }

  private static void add(List<String> steps, String step) {
    if (steps.isEmpty() || !steps.get(steps.size() - 1).equals(step)) {
      steps.add(step);
    }
  }

  private static String control(Step step) {
    SqlText text = SqlText.of(step.sql());
    return switch (step.role()) {
      case COMMIT -> "commits";
      case ROLLBACK -> "rolls back";
      default -> text.rollsBackToSavepoint() ? "rolls back to a savepoint" : "has a savepoint";
    };
  }

  private static String difference(CaseExecution execution, OracleVerdict verdict) {
    String phenomenon = verdict.phenomenon().map(Enum::name).orElse("");
    String patterns = verdict.patterns().map(found -> found.forbidden().toString()).orElse("");
    String statement =
        verdict
            .statement()
            .map(
                step -> SqlText.of(step.sql()).firstWord() + " " + execution.outcome(step).status())
            .orElse("final state");
    return String.join(" ", phenomenon, patterns, statement).strip();
  }
}
