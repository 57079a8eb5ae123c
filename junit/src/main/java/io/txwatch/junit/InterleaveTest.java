package io.txwatch.junit;

import io.txwatch.interleave.Interleaved.Verdict;
import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;
import org.junit.jupiter.api.TestTemplate;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.parallel.ResourceLock;

/**
 * A test that executes operations of the application in every order of their JDBC calls that may
 * matter, and fails if one of them gives what no order of whole operations gives. The method adds
 * the operations; they are executed after it has returned.
 *
 * <pre>{@code
 * @InterleaveTest
 * void twoBuyers(Interleaving run) {
 *   run.operation("buy A", () -> shop.buy(item, 1));
 *   run.operation("buy B", () -> shop.buy(item, 1));
 * }
 * }</pre>
 *
 * <p>The {@code @BeforeEach} methods of the test's class, if it has any, are called before every
 * execution, and restore the state. If it has none, the rows of the tables that are touched are
 * restored. Such tests do not run at the same time as one another.
 *
 * <p>The order that shows a race is kept in {@code src/test/interleavings}, if there is a folder
 * {@code src/test}, and executed first when the test runs again; the configuration parameter
 * {@value InterleaveExtension#FOLDER} names another folder.
 *
 * <p>Connections are watched by the agent, as {@link WatchTransactions} describes.
 */
@Documented
@Target(ElementType.METHOD)
@Retention(RetentionPolicy.RUNTIME)
@TestTemplate
@ExtendWith(InterleaveExtension.class)
@ResourceLock(WatchTransactions.LOCK)
public @interface InterleaveTest {

  /** What the test demands: {@link Verdict#RACE} where it demonstrates a race. */
  Verdict expect() default Verdict.SAFE;

  /** How often an operation may have to stop although it could go on. */
  int preemptions() default 3;

  /** How many clients execute each operation. */
  int times() default 1;

  /** How many orders are executed at most; if there are more, the test fails as undecided. */
  int executions() default 1_000;
}
