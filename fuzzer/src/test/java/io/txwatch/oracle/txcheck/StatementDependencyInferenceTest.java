package io.txwatch.oracle.txcheck;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

/**
 * TxCheck, figure 3: an example for each kind of dependency. The numbers are those of the lines.
 */
class StatementDependencyInferenceTest {

  /** Figure 3(a): select * from t returns what the update wrote. */
  @Test
  void aQueryThatReturnsAWrittenVersionReadDependsOnTheWrite() {
    assertThat(
            Traces.dependencies(
                """
                T1.1 update x0>x1 sees x0
                T2.1 query  x1    sees x1
                """))
        .containsExactly("1 -ITEM_READ-> 2", "1 -PREDICATE_READ-> 2");
  }

  /** Figure 3(b): the second update overwrites the first. */
  @Test
  void aWriteThatReplacesAWrittenVersionWriteDependsOnTheWrite() {
    assertThat(
            Traces.dependencies(
                """
                T1.1 update x0>x1 sees x0
                T2.1 update x1>x2 sees x1
                """))
        .containsExactly("1 -ITEM_WRITE-> 2", "1 -PREDICATE_WRITE-> 2", "1 -VALUE_WRITE-> 2");
  }

  /** Figure 3(c): the query returns what the update replaced. */
  @Test
  void aWriteThatReplacesAReturnedVersionAntiDependsOnTheQuery() {
    assertThat(
            Traces.dependencies(
                """
                T1.1 update x0>x1 sees x0
                T2.1 query  x0    sees x0
                """))
        .containsExactly("2 -ITEM_ANTI-> 1", "2 -PREDICATE_ANTI-> 1");
  }

  /** Figure 3(d): where value = 0 does not match after the update. */
  @Test
  void aPredicateThatUsesAWrittenVersionReadDependsOnTheWrite() {
    assertThat(
            Traces.dependencies(
                """
                T1.1 update x0>x1 sees x0
                T2.1 query  sees x1
                """))
        .containsExactly("1 -PREDICATE_READ-> 2");
  }

  /** Figure 3(e): update … where value = 0 changes nothing after the update. */
  @Test
  void aWriteThatSelectsByAWrittenVersionWriteDependsOnTheWrite() {
    assertThat(
            Traces.dependencies(
                """
                T1.1 update x0>x1 sees x0
                T2.1 delete sees x1
                """))
        .containsExactly("1 -PREDICATE_WRITE-> 2");
  }

  /** Figure 3(f): where value = 1 does not match before the update. */
  @Test
  void aWriteThatReplacesAUsedVersionAntiDependsOnTheQuery() {
    assertThat(
            Traces.dependencies(
                """
                T1.1 update x0>x1 sees x0
                T2.1 query  sees x0
                """))
        .containsExactly("2 -PREDICATE_ANTI-> 1");
  }

  /** Figure 3(g): insert … (select min(value) from t). */
  @Test
  void anInsertOfAWrittenValueValueDependsOnTheWrite() {
    assertThat(
            Traces.dependencies(
                """
                T1.1 update x0>x1 sees x0
                T2.1 insert >z1   sees x1
                """))
        .contains("1 -VALUE_WRITE-> 2");
  }

  /** A row that a query does not find is unborn to it: it precedes the INSERT. */
  @Test
  void aQueryPrecedesTheInsertThatItDoesNotSee() {
    assertThat(
            Traces.dependencies(
                """
                T1.1 insert >x1 sees
                T2.1 query  sees
                T1 commit
                T3.1 query  sees x1
                """))
        .containsExactly("1 -PREDICATE_READ-> 4", "2 -PREDICATE_ANTI-> 1");
  }

  /** A row that a query does not find any more is dead to it: it follows the DELETE. */
  @Test
  void aQueryFollowsTheDeleteThatItSees() {
    assertThat(
            Traces.dependencies(
                """
                T1.1 delete x0> sees x0
                T2.1 query  sees x0
                T1 commit
                T3.1 query  sees
                """))
        .containsExactly("1 -PREDICATE_READ-> 4", "2 -PREDICATE_ANTI-> 1");
  }

  /**
   * T1 gives x another key, and T2 inserts a row with the old key, which hides x in T2's snapshot:
   * T2's query neither precedes nor follows T1's statement.
   */
  @Test
  void aQueryPrecedesAndFollowsTheChangeOfARowThatItsTransactionHides() {
    String traces =
        """
        T2.1 query  x0    sees x0
        T1.1 update x0>x1 sees x0
        T1 commit
        T2.2 insert >z1   sees x0
        T2.3 query  z1    sees z1
        """;
    assertThat(Traces.dependencies(traces, true))
        .contains("5 -PREDICATE_ANTI-> 2", "2 -PREDICATE_READ-> 5");
    assertThat(Traces.dependencies(traces))
        .doesNotContain("5 -PREDICATE_ANTI-> 2", "2 -PREDICATE_READ-> 5");
  }

  /** The row is inserted and deleted while a snapshot exists: it may be unborn or dead to it. */
  @Test
  void aRowThatCameAndWentIsUnbornAndDeadToASnapshot() {
    assertThat(
            Traces.dependencies(
                """
                T3.1 query  sees
                T1.1 insert >x1 sees
                T2.1 delete x1> sees x1
                T3.2 query  sees
                """))
        .contains("4 -PREDICATE_ANTI-> 2", "3 -PREDICATE_READ-> 4");
  }

  /** The current versions cannot be older than the INSERT. */
  @Test
  void aRowThatCameAndWentIsDeadToACurrentRead() {
    assertThat(
            Traces.dependencies(
                """
                T3.1 query  sees
                T1.1 insert >x1 sees
                T2.1 delete x1> sees x1
                T3.2 query  current
                """))
        .contains("3 -PREDICATE_READ-> 4")
        .doesNotContain("4 -PREDICATE_ANTI-> 2");
  }

  /** Statements that use different rows are independent, in one transaction, too. */
  @Test
  void theOrderOfATransactionIsNoDependency() {
    assertThat(
            Traces.dependencies(
                """
                T1.1 query x0 sees x0
                T1.2 query x0 sees x0
                """))
        .isEmpty();
  }
}
