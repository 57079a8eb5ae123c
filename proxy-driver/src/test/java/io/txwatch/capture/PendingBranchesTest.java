package io.txwatch.capture;

import static org.assertj.core.api.Assertions.assertThatCode;

import io.txwatch.history.Outcome;
import org.junit.jupiter.api.Test;

class PendingBranchesTest {

  @Test
  void aBranchWithoutStatementsIsPreparedAndEnds() {
    PendingBranches branches = PendingBranches.OF_THIS_PROCESS;

    assertThatCode(() -> branches.prepared("empty")).doesNotThrowAnyException();
    assertThatCode(() -> branches.ended("empty", Outcome.COMMITTED)).doesNotThrowAnyException();
  }
}
