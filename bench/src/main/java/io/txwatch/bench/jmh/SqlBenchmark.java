package io.txwatch.bench.jmh;

import io.txwatch.sql.Catalog;
import io.txwatch.sql.Dialect;
import io.txwatch.sql.RewritePlan;
import io.txwatch.sql.RewritePlanner;
import io.txwatch.sql.Tokenizer;
import io.txwatch.sql.Tokens;
import java.util.concurrent.TimeUnit;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.State;

/** A text that is met for the first time: tokens, and the whole plan. */
@State(Scope.Thread)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
public class SqlBenchmark {

  /** Which text. */
  @Param public Texts text = Texts.KEY;

  private final Tokens tokens = new Tokens();
  private final Catalog catalog = Texts.everythingPrepared();
  private final RewritePlanner planner =
      new RewritePlanner(Dialect.POSTGRESQL, RewritePlanner.Level.INLINE);

  /** Tokens, into arrays that are used again. */
  @Benchmark
  public Tokens tokenize() {
    Tokenizer.tokenize(text.sql, Dialect.POSTGRESQL, tokens);
    return tokens;
  }

  /** A plan, as made on a cache miss, the agreement with the parser included. */
  @Benchmark
  public RewritePlan plan() {
    return planner.plan(text.sql, catalog);
  }
}
