package io.txwatch.oracle.known;

import io.txwatch.oracle.CaseExecutor;
import io.txwatch.oracle.OracleKind;
import io.txwatch.oracle.OracleVerdict;
import io.txwatch.schedule.CaseExecution;
import io.txwatch.schedule.ScheduleExecutor;
import java.sql.SQLException;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/**
 * Known behaviour of a DBMS. A finding that matches is labelled, never hidden. An entry matches
 * only if its mechanism gives all that was observed.
 */
public interface KnownBehaviour {

  /**
   * What is stated of a behaviour.
   *
   * @param id the id in reports
   * @param findingClass whether it is by design
   * @param oracles the oracles whose violations it may explain; one that is not named gets no label
   * @param description what happens
   * @param source the manual's words and their place, the bug's number, or where it was observed
   */
  record Facts(
      String id,
      FindingClass findingClass,
      Set<OracleKind> oracles,
      String description,
      String source) {}

  /** What is stated of it. */
  Facts facts();

  /** The id in reports. */
  default String id() {
    return facts().id();
  }

  /** Whether it is by design. */
  default FindingClass findingClass() {
    return facts().findingClass();
  }

  /** What happens. */
  default String description() {
    return facts().description();
  }

  /** The manual's words and their place, the bug's number, or where it was observed. */
  default String source() {
    return facts().source();
  }

  /** The oracles whose violations it may explain; an oracle that is not named gets no label. */
  default Set<OracleKind> oracles() {
    return facts().oracles();
  }

  /** True if it explains a violation of one of these oracles on a DBMS that has it. */
  boolean matches(Evidence evidence)
      throws SQLException, ScheduleExecutor.SetupException, InterruptedException;

  /**
   * The known behaviour that explains a violation.
   *
   * @param candidates those of the DBMS, the most specific first
   * @param executor executes statements and changed cases, to decide what explains it
   * @param execution the violating execution
   * @param verdict the verdict on it
   */
  static Optional<KnownBehaviour> explaining(
      List<KnownBehaviour> candidates,
      CaseExecutor executor,
      CaseExecution execution,
      OracleVerdict verdict)
      throws SQLException, InterruptedException {
    Evidence evidence = new Evidence(executor, execution, verdict);
    try {
      for (KnownBehaviour known : candidates) {
        if (known.oracles().stream().anyMatch(evidence::isBy) && known.matches(evidence)) {
          return Optional.of(known);
        }
      }
    } catch (ScheduleExecutor.SetupException e) {
      return Optional.empty(); // what cannot be executed again is not explained
    }
    return Optional.empty();
  }

  /** The class of a violation with this known behaviour, or with none. */
  static FindingClass classOf(Optional<KnownBehaviour> known) {
    return known.map(KnownBehaviour::findingClass).orElse(FindingClass.NEW);
  }
}
