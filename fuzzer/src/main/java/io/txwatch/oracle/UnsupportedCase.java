package io.txwatch.oracle;

import io.txwatch.dbms.Dbms;
import io.txwatch.schedule.CaseExecution;
import io.txwatch.testcase.SqlText;
import io.txwatch.testcase.StatementText;
import io.txwatch.testcase.Step;
import io.txwatch.testcase.TestCase;
import java.util.List;
import java.util.Optional;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/**
 * Recognizes cases whose execution cannot be compared with another execution of the same
 * statements.
 */
public final class UnsupportedCase {

  /** The reason of oracles whose rules are those of one level. */
  public static final String MIXED_LEVELS = "its sessions have different levels";

  /** The reason if a transaction chooses another level than that of the case. */
  public static final String OWN_LEVEL = "a transaction sets a level of its own";

  private static final Pattern LEVEL_VARIABLE =
      Pattern.compile("\\b(default_)?(transaction|tx)_isolation\\b", Pattern.CASE_INSENSITIVE);

  private static final String[] INSERT = {"INSERT", "REPLACE", "MERGE"};

  /** What depends on the time, on chance, on the session, or on where a row is stored. */
  private static final String[] DIFFERENT_EACH_TIME =
      """
      RAND RANDOM RANDOMBLOB RANDOM_BYTES UUID_SHORT UUID_V4 UUID_V7 UUIDV4 UUIDV7 RANDOM_UUID \
      GEN_RANDOM_UUID GEN_RANDOM_BYTES UUID_GENERATE_V1 UUID_GENERATE_V4 SYS_GUID NEWID \
      NOW SYSDATE SYSTIMESTAMP TIMEOFDAY TODAY CURRENT_TIMESTAMP CURRENT_TIME CURRENT_DATE \
      LOCALTIMESTAMP LOCALTIME CLOCK_TIMESTAMP STATEMENT_TIMESTAMP TRANSACTION_TIMESTAMP \
      CURDATE CURTIME UTC_DATE UTC_TIME UTC_TIMESTAMP UNIX_TIMESTAMP \
      CONNECTION_ID SESSION_ID PG_BACKEND_PID LAST_INSERT_ID LAST_INSERT_ROWID \
      NEXTVAL CURRVAL LASTVAL SETVAL TXID_CURRENT PG_CURRENT_XACT_ID TRANSACTION_ID \
      CTID XMIN XMAX CMIN CMAX ROWID _ROWID_"""
          .split(" ");

  private static final String[] LOCK_DEPENDENT = {"NOWAIT", "SKIP"};

  private UnsupportedCase() {}

  /** The reason; empty if the execution can be compared. */
  public static Optional<String> of(CaseExecution execution, Dbms dbms) {
    List<Step> steps = execution.testCase().steps();
    Optional<String> whyCascadesVary = dbms.whyCascadesIntoReadsVary();
    if (whyCascadesVary.isPresent()) {
      ForeignKeyGraph references = ForeignKeyGraph.of(execution.testCase().setup());
      if (steps.stream().anyMatch(step -> references.cascadesIntoRead(step.sql()))) {
        return whyCascadesVary;
      }
    }
    boolean sequence =
        execution.testCase().setup().stream().anyMatch(StatementText::generatesValues)
            && steps.stream().anyMatch(step -> SqlText.of(step.sql()).hasAny(INSERT));
    if (sequence) {
      return Optional.of("values of a sequence depend on the order in which they are handed out");
    }
    if (execution.testCase().setup().stream().anyMatch(UnsupportedCase::derivesValues)) {
      return Optional.of("a trigger or a generated column writes values that no statement has");
    }
    if (execution.testCase().setup().stream().anyMatch(StatementText::defersConstraints)) {
      return Optional.of("a constraint is checked when transactions commit");
    }
    if (execution.testCase().beginsWithinTransaction()) {
      return Optional.of("a transaction begins before the previous one has ended");
    }
    if (setsLevels(execution.testCase())) {
      return Optional.of(OWN_LEVEL);
    }
    if (steps.stream().anyMatch(step -> StatementText.changesDefinitions(step.sql()))) {
      return Optional.of("a statement changes definitions while transactions are open");
    }
    if (dbms.mergesBySnapshot()
        && steps.stream().anyMatch(step -> SqlText.of(step.sql()).hasAny("MERGE"))) {
      return Optional.of(
          "a MERGE inserts what its snapshot does not show, whoever inserts it, too");
    }
    if (steps.stream().anyMatch(step -> StatementText.locksTables(step.sql()))) {
      return Optional.of("a statement locks whole tables, which may end a transaction");
    }
    if (steps.stream().anyMatch(step -> SqlText.of(step.sql()).hasAny(LOCK_DEPENDENT))) {
      return Optional.of("a query does not wait for locks, so its result depends on them");
    }
    if (execution.testCase().setup().stream().anyMatch(UnsupportedCase::definesFunction)) {
      return Optional.of("a function of its own may have a different result each time");
    }
    boolean differs =
        Stream.concat(execution.testCase().setup().stream(), steps.stream().map(Step::sql))
                .anyMatch(sql -> SqlText.of(sql).hasAny(DIFFERENT_EACH_TIME))
            // In the setup it may be a type.
            || steps.stream().anyMatch(step -> SqlText.of(step.sql()).hasAny("UUID"));
    return differs ? Optional.of("a statement has a different result each time") : Optional.empty();
  }

  private static boolean definesFunction(String sql) {
    SqlText text = SqlText.of(sql);
    return text.startsWith("CREATE") && text.hasAny("FUNCTION", "ALIAS");
  }

  private static boolean derivesValues(String sql) {
    SqlText text = SqlText.of(sql);
    return text.has("GENERATED", "ALWAYS", "AS") || text.startsWith("CREATE", "TRIGGER");
  }

  /** True if a step gives its session, or its transaction, another level than that of the case. */
  public static boolean setsLevels(TestCase testCase) {
    return testCase.steps().stream().anyMatch(step -> setsLevel(step.sql()));
  }

  private static boolean setsLevel(String sql) {
    SqlText text = SqlText.of(sql);
    return text.startsWith("SET", "TRANSACTION")
        || text.has("ISOLATION", "LEVEL")
        || (text.startsWith("SET") && LEVEL_VARIABLE.matcher(sql).find());
  }
}
