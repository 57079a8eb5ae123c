package io.txwatch.predict;

import static io.txwatch.predict.TemplateText.template;
import static org.assertj.core.api.Assertions.assertThat;

import io.txwatch.rules.Promise;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** SmallBank, Alomari et al., ICDE 2008. */
class SmallBankTest {

  private static final OperationTemplate BALANCE =
      template("Balance", "R account[n].id", "R savings[x].bal", "R checking[x].bal");
  private static final OperationTemplate DEPOSIT =
      template("DepositChecking", "R account[n].id", "U checking[x].bal");
  private static final OperationTemplate TRANSACT =
      template("TransactSavings", "R account[n].id", "U savings[x].bal");
  private static final OperationTemplate AMALGAMATE =
      template(
          "Amalgamate",
          "R account[n].id",
          "R account[m].id",
          "U savings[x].bal",
          "U checking[x].bal",
          "U checking[y].bal");
  private static final OperationTemplate WRITE_CHECK =
      template(
          "WriteCheck",
          "R account[n].id",
          "R savings[x].bal",
          "R checking[x].bal",
          "U checking[x].bal");

  static final List<OperationTemplate> ALL =
      List.of(BALANCE, DEPOSIT, TRANSACT, AMALGAMATE, WRITE_CHECK);

  private static List<String> at(Promise.Kind promise, List<OperationTemplate> programs) {
    return CandidateSearch.search(programs, promise).candidates().stream()
        .map(RaceCandidate::toString)
        .toList();
  }

  private static List<OperationTemplate> with(OperationTemplate... repaired) {
    List<OperationTemplate> programs = new ArrayList<>(ALL);
    for (OperationTemplate one : repaired) {
      programs.replaceAll(old -> old.name().equals(one.name()) ? one : old);
    }
    return programs;
  }

  private static OperationTemplate plus(OperationTemplate program, String... lines) {
    List<String> all = new ArrayList<>();
    program.statements().forEach(statement -> all.add(statement.sql()));
    all.addAll(List.of(lines));
    return template(program.name(), all.toArray(String[]::new));
  }

  @Test
  void oneDangerousStructure() {
    assertThat(at(Promise.Kind.SNAPSHOT, ALL))
        .containsExactly("G2-item: Balance -> WriteCheck -> TransactSavings");
  }

  @Test
  void itsKeysAreThoseOfOneCustomer() {
    RaceCandidate race = CandidateSearch.search(ALL, Promise.Kind.SNAPSHOT).candidates().get(0);

    assertThat(race.conflicts().stream().map(one -> one.kind().term() + " " + one.table()))
        .containsExactly("rw checking", "rw savings", "wr savings");
    assertThat(race.keys().stream().map(KeyEquality::toString))
        .containsExactly(
            "checking.k1: x of T1 = x of T2",
            "savings.k1: x of T2 = x of T3",
            "savings.k1: x of T3 = x of T1");
  }

  /** Section III, "Ensuring serializability": each of the ways. */
  @Test
  void eachRepairRemovesIt() {
    String conflict = "U conflict[x].value";
    assertThat(
            at(Promise.Kind.SNAPSHOT, with(plus(WRITE_CHECK, conflict), plus(TRANSACT, conflict))))
        .as("MaterializeWT")
        .isEmpty();
    assertThat(at(Promise.Kind.SNAPSHOT, with(plus(WRITE_CHECK, "U savings[x].bal"))))
        .as("PromoteWT")
        .isEmpty();
    assertThat(
            at(Promise.Kind.SNAPSHOT, with(plus(BALANCE, conflict), plus(WRITE_CHECK, conflict))))
        .as("MaterializeBW")
        .isEmpty();
    assertThat(at(Promise.Kind.SNAPSHOT, with(plus(BALANCE, "U checking[x].bal"))))
        .as("PromoteBW")
        .isEmpty();
  }

  /** TransactSavings would have to commit before WriteCheck, which holds the row. */
  @Test
  void readOfThePivotMayAsWellBeLocked() {
    OperationTemplate locking =
        template(
            "WriteCheck",
            "R account[n].id",
            "L savings[x].bal",
            "R checking[x].bal",
            "U checking[x].bal");

    assertThat(at(Promise.Kind.SNAPSHOT, with(locking))).isEmpty();
  }

  @Test
  void serializableAllowsNothing() {
    assertThat(at(Promise.Kind.SERIALIZABLE, ALL)).isEmpty();
  }

  /** Vandevoort et al., VLDB 2021: the largest sets that are robust. */
  @ParameterizedTest
  @CsvSource({
    "Amalgamate DepositChecking TransactSavings, true",
    "Balance DepositChecking, true",
    "Balance TransactSavings, true",
    "WriteCheck, false",
    "Balance Amalgamate, false",
    "Balance DepositChecking TransactSavings, false"
  })
  void robustAtReadCommitted(String names, boolean robust) {
    List<OperationTemplate> programs =
        ALL.stream().filter(one -> List.of(names.split(" ")).contains(one.name())).toList();

    assertThat(at(Promise.Kind.COMMITTED_BY_STATEMENT, programs).isEmpty()).isEqualTo(robust);
  }
}
