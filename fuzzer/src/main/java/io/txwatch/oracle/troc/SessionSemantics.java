package io.txwatch.oracle.troc;

import io.txwatch.dbms.Semantics;
import io.txwatch.history.Database;
import io.txwatch.history.IsolationLevel;
import io.txwatch.oracle.CaseExecutor;
import io.txwatch.schedule.CaseExecution;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;

/**
 * The isolation level of a session's transactions, and its visibility rules.
 *
 * @param level the level
 * @param semantics what the DBMS makes visible at it
 */
record SessionSemantics(IsolationLevel level, Semantics semantics) {

  /**
   * The sessions of an execution; each may have a level of its own.
   *
   * @param byName the sessions; none if the rules of a level are unknown
   * @param unknown a level whose rules are unknown, if there is one
   */
  record Sessions(Map<String, SessionSemantics> byName, Optional<IsolationLevel> unknown) {

    /** The sessions of an execution. */
    static Sessions of(CaseExecution execution, CaseExecutor executor) {
      Database database = executor.database(execution.testCase());
      Map<String, SessionSemantics> sessions = new HashMap<>();
      for (String session : execution.testCase().sessions()) {
        IsolationLevel level = execution.testCase().levelOf(session, execution.level());
        Optional<Semantics> semantics = executor.dbms().semantics(database, level);
        if (semantics.isEmpty()) {
          return new Sessions(Map.of(), Optional.of(level));
        }
        sessions.put(session, new SessionSemantics(level, semantics.get()));
      }
      return new Sessions(sessions, Optional.empty());
    }
  }
}
