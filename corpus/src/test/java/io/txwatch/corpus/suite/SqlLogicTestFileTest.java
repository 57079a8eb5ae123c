package io.txwatch.corpus.suite;

import static org.assertj.core.api.Assertions.assertThat;

import io.txwatch.corpus.suite.SqlLogicTestFile.Entry;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class SqlLogicTestFileTest {

  private static final String FILE =
      """
      hash-threshold 8

      # a comment
      statement ok
      CREATE TABLE t(a INTEGER,
        b INTEGER)

      skipif sqlite # why
      statement error
      SELECT x FROM t

      onlyif sqlite
      query I rowsort label-1
      SELECT a FROM t
      ----
      statement
      2

      onlyif mysql
      halt

      query I nosort
      SELECT b FROM t

      halt

      statement ok
      DROP TABLE t
      """;

  @TempDir private Path directory = Path.of("");

  private SqlLogicTestFile read(String engine, int limit) throws IOException {
    Path file = Files.writeString(directory.resolve("a.test"), FILE);
    return SqlLogicTestFile.read(file, engine, limit);
  }

  @Test
  void recordsAreReadWithoutTheirResultsUpToHalt() throws IOException {
    assertThat(read("sqlite", 100).entries())
        .containsExactly(
            new Entry(5, "CREATE TABLE t(a INTEGER,\n  b INTEGER)"),
            new Entry(14, "SELECT a FROM t"),
            new Entry(23, "SELECT b FROM t"));
  }

  @Test
  void recordsOfOtherEnginesAreSkipped() throws IOException {
    assertThat(read("mysql", 100).entries())
        .extracting(Entry::line)
        .as("halt is for this engine")
        .containsExactly(5, 10);
    assertThat(read("postgresql", 100).entries())
        .extracting(Entry::line)
        .containsExactly(5, 10, 23);
  }

  @Test
  void readingStopsAtTheLimit() throws IOException {
    assertThat(read("sqlite", 1).entries()).hasSize(1);
  }
}
