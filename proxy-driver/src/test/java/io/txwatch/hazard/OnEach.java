package io.txwatch.hazard;

import io.txwatch.servers.ServerKind;
import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ArgumentsSource;

/**
 * A test that runs on each DBMS that can be reached here, or on those named, at each level: on
 * several of them at a time, for most of its time is waiting.
 */
@Target(ElementType.METHOD)
@Retention(RetentionPolicy.RUNTIME)
@Execution(ExecutionMode.CONCURRENT)
@ParameterizedTest(name = "{0}")
@ArgumentsSource(Places.class)
@interface OnEach {
  /** The DBMSs whose test it is; all if none is named. */
  ServerKind[] value() default {};

  /** True for a test of what statements return that are rewritten. */
  boolean rewrittenOnly() default false;

  /** True for a test of the auxiliary columns themselves. */
  boolean preparedOnly() default false;
}
