package io.txwatch.bench.jmh;

import io.txwatch.plan.Catalog;
import io.txwatch.plan.RewritePlan;
import io.txwatch.product.registry.Products;
import io.txwatch.rewrite.RewritePlanner;
import io.txwatch.sql.dialect.Dialect;
import io.txwatch.sql.syntax.Tokenizer;
import io.txwatch.sql.syntax.Tokens;
import java.util.concurrent.TimeUnit;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.State;

/** Measures the first use of a statement text: tokenizing it, and planning its rewrite. */
@State(Scope.Thread)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
public class SqlBenchmark {

  /** The text. */
  @Param public SampleStatement text = SampleStatement.KEY;

  private final Tokens tokens = new Tokens();
  private final Catalog catalog = SampleStatement.everythingPrepared();
  private final RewritePlanner planner =
      new RewritePlanner(Products.of(Dialect.POSTGRESQL).sql(), RewritePlanner.Level.INLINE);

  /** Tokenizes into reused arrays. */
  @Benchmark
  public Tokens tokenize() {
    Tokenizer.tokenize(text.sql, Dialect.POSTGRESQL, tokens);
    return tokens;
  }

  /** Plans a rewrite as on a cache miss, including the comparison with the parser. */
  @Benchmark
  public RewritePlan plan() {
    return planner.plan(text.sql, catalog);
  }
}
