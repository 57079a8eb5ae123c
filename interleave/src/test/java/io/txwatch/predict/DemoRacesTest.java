package io.txwatch.predict;

import static io.txwatch.predict.TemplateText.template;
import static org.assertj.core.api.Assertions.assertThat;

import io.txwatch.predict.RuledOut.Reason;
import io.txwatch.rules.Promise;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** The four races of the demo, its repairs, and what each level makes of them. */
class DemoRacesTest {

  private static final OperationTemplate WITHDRAW =
      template("withdraw", "R account[a].balance", "W account[a].balance");
  private static final OperationTemplate BOOK =
      template("book", "R seat[s].booked_by", "W seat[s].booked_by");
  private static final OperationTemplate SIGN_OFF =
      template("signOff", "R doctor().shift,on_call,name", "W doctor[d].on_call");
  private static final OperationTemplate TRANSFER =
      template("transfer", "U account[a].balance", "U account[b].balance");
  private static final OperationTemplate TOTAL = template("total", "* R account[a].owner,balance");

  private static List<String> at(Promise.Kind promise, OperationTemplate... operations) {
    return CandidateSearch.search(List.of(operations), promise).candidates().stream()
        .map(RaceCandidate::toString)
        .toList();
  }

  private static List<Reason> ruledOut(Promise.Kind promise, OperationTemplate... operations) {
    return CandidateSearch.search(List.of(operations), promise).ruledOut().stream()
        .map(RuledOut::reason)
        .distinct()
        .toList();
  }

  @ParameterizedTest
  @EnumSource(names = {"COMMITTED", "COMMITTED_BY_STATEMENT", "CONSISTENT_READS", "REPEATABLE"})
  void updateIsLostWithoutFirstWriterWins(Promise.Kind promise) {
    assertThat(at(promise, WITHDRAW)).containsExactly("lost update: withdraw -> withdraw");
    assertThat(at(promise, BOOK)).containsExactly("lost update: book -> book");
  }

  @Test
  void snapshotIsolationAbortsTheSecondWriter() {
    assertThat(at(Promise.Kind.SNAPSHOT, WITHDRAW, BOOK)).isEmpty();
    assertThat(ruledOut(Promise.Kind.SNAPSHOT, WITHDRAW)).containsExactly(Reason.FIRST_WRITER_WINS);
  }

  @Test
  void lockedReadRulesItOut() {
    OperationTemplate locking =
        template("withdraw", "L account[a].balance", "W account[a].balance");

    assertThat(at(Promise.Kind.COMMITTED_BY_STATEMENT, locking)).isEmpty();
    assertThat(ruledOut(Promise.Kind.COMMITTED_BY_STATEMENT, locking))
        .containsExactly(Reason.LOCKED);
  }

  /** One that locks does not help against one that reads plainly. */
  @Test
  void plainReadBesideALockedOneStillLoses() {
    OperationTemplate locking =
        template("withdrawLocking", "L account[a].balance", "W account[a].balance");

    assertThat(at(Promise.Kind.COMMITTED_BY_STATEMENT, locking, WITHDRAW))
        .contains("lost update: withdraw -> withdrawLocking")
        .noneMatch(race -> race.startsWith("lost update: withdrawLocking"));
  }

  @Test
  void atomicUpdateRulesItOut() {
    OperationTemplate atomic = template("book", "C seat[s].booked_by>booked_by");

    assertThat(at(Promise.Kind.COMMITTED_BY_STATEMENT, atomic, TRANSFER)).isEmpty();
    assertThat(ruledOut(Promise.Kind.COMMITTED_BY_STATEMENT, atomic)).doesNotContain(Reason.LOCKED);
  }

  @Test
  void comparedVersionRulesItOut() {
    OperationTemplate versioned =
        template(
            "withdraw", "R account[a].balance,version", "C account[a].version>balance,version");

    assertThat(at(Promise.Kind.COMMITTED_BY_STATEMENT, versioned)).isEmpty();
    assertThat(ruledOut(Promise.Kind.COMMITTED_BY_STATEMENT, versioned)).contains(Reason.CHECKED);
  }

  @ParameterizedTest
  @EnumSource(names = {"COMMITTED_BY_STATEMENT", "CONSISTENT_READS", "SNAPSHOT"})
  void skewOfWritesOutlivesSnapshots(Promise.Kind promise) {
    assertThat(at(promise, SIGN_OFF)).contains("G2: signOff -> signOff");
  }

  @Test
  void lockOfAParentRowRulesOutTheSkew() {
    OperationTemplate locking =
        template("signOff", "L shift[p].", "R doctor(p).on_call", "W doctor[p,d].on_call");

    assertThat(at(Promise.Kind.COMMITTED_BY_STATEMENT, locking))
        .as("doctors of one shift only")
        .isEmpty();
  }

  @Test
  void sumOverAccountsIsSkewedBetweenSnapshots() {
    assertThat(at(Promise.Kind.COMMITTED_BY_STATEMENT, TOTAL, TRANSFER))
        .containsExactly("read skew: total -> transfer");
    assertThat(at(Promise.Kind.CONSISTENT_READS, TOTAL, TRANSFER)).isEmpty();
    assertThat(at(Promise.Kind.SNAPSHOT, TOTAL, TRANSFER)).isEmpty();
  }

  @Test
  void rowThatIsReadTwiceDependsOnTheLevel() {
    OperationTemplate twice = template("twice", "R account[a].balance", "R account[a].balance");
    OperationTemplate deposit = template("deposit", "U account[a].balance");

    assertThat(at(Promise.Kind.COMMITTED_BY_STATEMENT, twice, deposit))
        .containsExactly("non-repeatable read: twice -> deposit");
    assertThat(at(Promise.Kind.REPEATABLE, twice, deposit)).isEmpty();
    assertThat(at(Promise.Kind.REPEATABLE, TOTAL, TRANSFER))
        .as("two rows are not covered")
        .containsExactly("read skew: total -> transfer");
  }
}
