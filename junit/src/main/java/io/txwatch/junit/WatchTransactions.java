package io.txwatch.junit;

import io.txwatch.anomaly.Phenomenon;
import io.txwatch.anomaly.Verdict;
import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Inherited;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.parallel.ResourceLock;

/**
 * Watches the transactions of a test, or of all tests of a class, and fails a test in which a
 * confirmed anomaly occurs. The message is the report: the statements in their order, the lines of
 * the application, and what would prevent it.
 *
 * <pre>{@code
 * @WatchTransactions
 * class TransferTest {
 *   @Test
 *   void concurrentTransfersKeepTheSum() { … }
 * }
 * }</pre>
 *
 * <p>Connections are watched by the agent, which is attached to the JVM of the tests before the
 * first annotated test unless {@code -javaagent:txwatch.jar} has started it. Those that were opened
 * before, as by a pool of an earlier test class, are not watched. Tests with this annotation do not
 * run at the same time as one another, so that each answers for its own anomalies only.
 */
@Documented
@Inherited
@Target({ElementType.TYPE, ElementType.METHOD})
@Retention(RetentionPolicy.RUNTIME)
@ExtendWith(TxWatchExtension.class)
@ResourceLock(WatchTransactions.LOCK)
public @interface WatchTransactions {

  /** The key of the resource that watched tests lock. */
  String LOCK = "io.txwatch";

  /**
   * The least severe verdict that fails a test: {@link Verdict#HAZARD} for any anomaly, {@link
   * Verdict#VIOLATION} for faults of the DBMS alone.
   */
  Verdict failOn() default Verdict.HAZARD;

  /** Phenomena that fail no test. */
  Phenomenon[] ignore() default {};

  /**
   * Whether a test fails in which no statement of a watched connection was executed: it would
   * otherwise pass whatever it does.
   */
  boolean requireStatements() default true;

  /**
   * Whether races are predicted from the transactions that the test's method causes, by one client
   * at a time: together with those of all such tests of the JVM. After the last test, the pairs of
   * operations that may race are written as a class of {@link InterleaveTest}s, in which the calls
   * have to be filled in, to {@code txwatch/PredictedRaces.java} in the folder {@code target} or
   * {@code build}. Nothing fails.
   */
  boolean predict() default false;
}
