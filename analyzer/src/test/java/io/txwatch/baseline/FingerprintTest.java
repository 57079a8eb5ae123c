package io.txwatch.baseline;

import static io.txwatch.report.AnomalyBuilder.anomaly;
import static org.assertj.core.api.Assertions.assertThat;

import io.txwatch.anomaly.Anomaly;
import io.txwatch.anomaly.Phenomenon;
import io.txwatch.history.Database;
import io.txwatch.history.IsolationLevel;
import io.txwatch.history.Product;
import io.txwatch.report.AnomalyBuilder;
import io.txwatch.sql.dialect.Dialect;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** What changes the identity of a kind of anomaly, and what does not. */
class FingerprintTest {

  private static final String READ = "SELECT balance FROM account WHERE id = ?";
  private static final String WRITE = "UPDATE account SET balance = ? WHERE id = ?";

  private static AnomalyBuilder lostUpdate(String read, String write, String method, int line) {
    String site = " @ shop." + method + " (BankService.java:%d)";
    return anomaly(Phenomenon.LOST_UPDATE)
        .t("1 " + read + site.formatted(line), "2 " + write + site.formatted(line + 7))
        .t("1 " + read + site.formatted(line), "2 " + write + site.formatted(line + 7));
  }

  private static Anomaly ofMethod(String method, int line) {
    return lostUpdate(READ, WRITE, method, line)
        .edge("1.1 rw 2.2 account 7 balance")
        .edge("2.2 ww 1.2 account 7 balance")
        .anomaly();
  }

  private static Anomaly ofTexts(String read, String write) {
    return lostUpdate(read, write, "BankService.withdraw", 41)
        .edge("1.1 rw 2.2 account 7")
        .edge("2.2 ww 1.2 account 7")
        .anomaly();
  }

  private static final Fingerprint ID = Fingerprint.of(ofMethod("BankService.withdraw", 41));

  @Test
  void linesRowsColumnsLevelsAndTheOrderOfTheCycleDoNotMatter() {
    assertThat(Fingerprint.of(ofMethod("BankService.withdraw", 43))).isEqualTo(ID);
    assertThat(
            Fingerprint.of(
                lostUpdate(READ, WRITE, "BankService.withdraw", 41)
                    .edge("2.2 ww 1.2 account 8")
                    .edge("1.1 rw 2.2 account 8")
                    .anomaly()))
        .isEqualTo(ID);
  }

  @Test
  void aLongerCycleThroughTheSameStatementsIsTheSame() {
    assertThat(
            Fingerprint.of(
                lostUpdate(READ, WRITE, "BankService.withdraw", 41)
                    .t("2 " + WRITE + " @ shop.BankService.withdraw (BankService.java:48)")
                    .edge("1.1 rw 2.2 account 7")
                    .edge("2.2 ww 3.2 account 7")
                    .edge("3.2 ww 1.2 account 7")
                    .anomaly()))
        .isEqualTo(ID);
  }

  @Test
  void aRenamedMethodHasTheSameStatements() {
    Fingerprint renamed = Fingerprint.of(ofMethod("BankService.debit", 41));
    assertThat(renamed).isNotEqualTo(ID);
    assertThat(renamed.hasStatementsOf(ID)).isTrue();
  }

  @Test
  void aNamedTransactionIsTheOperationWhateverMethodsItCalls() {
    Fingerprint named =
        Fingerprint.of(
            anomaly(Phenomenon.LOST_UPDATE)
                .t("1 " + READ + " @ A.find (A.java:1)", "2 " + WRITE + " @ A.save (A.java:2)")
                .named("shop.Bank.withdraw")
                .edge("1.1 rw 1.2 account 7")
                .anomaly());
    Fingerprint otherMethods =
        Fingerprint.of(
            anomaly(Phenomenon.LOST_UPDATE)
                .t("1 " + READ + " @ B.load (B.java:1)", "2 " + WRITE + " @ B.store (B.java:2)")
                .named("shop.Bank.withdraw")
                .edge("1.1 rw 1.2 account 7")
                .anomaly());
    assertThat(otherMethods).isEqualTo(named);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "select  balance from account where id=?;",
        "SELECT balance FROM account WHERE id = 7",
        "SELECT balance FROM account WHERE id = $1",
        "SELECT /* trace 12 */ balance FROM account WHERE id = ?"
      })
  void theSameStatementInAnotherForm(String read) {
    assertThat(Fingerprint.of(ofTexts(read, WRITE))).isEqualTo(ID);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "SELECT balance, owner FROM account WHERE id = ?",
        "SELECT credit FROM account WHERE id = ?",
        "SELECT balance FROM account WHERE id >= ?",
        "SELECT balance FROM \"ACCOUNT\" WHERE id = ?"
      })
  void anotherStatement(String read) {
    assertThat(Fingerprint.of(ofTexts(read, WRITE)).hasStatementsOf(ID)).isFalse();
  }

  @Test
  void listsOfAnyLengthAreEqual() {
    assertThat(Fingerprint.withoutValues("SELECT a FROM t WHERE id IN (1, ?, 'x')", Dialect.OTHER))
        .isEqualTo(Fingerprint.withoutValues("SELECT a FROM t WHERE id IN (?)", Dialect.OTHER))
        .isEqualTo("SELECT A FROM T WHERE ID IN ( ? )");
    assertThat(
            Fingerprint.withoutValues("INSERT INTO t VALUES (1, 2), (3, 4), (5, 6)", Dialect.OTHER))
        .isEqualTo("INSERT INTO T VALUES ( ? )");
  }

  @Test
  void aViolationIsNoHazard() {
    Anomaly violation =
        lostUpdate(READ, WRITE, "BankService.withdraw", 41)
            .violation(
                new Database(new Product("PostgreSQL", "18.6"), Map.of()),
                IsolationLevel.SERIALIZABLE)
            .edge("1.1 rw 2.2 account 7")
            .edge("2.2 ww 1.2 account 7")
            .anomaly();
    assertThat(Fingerprint.of(violation)).isNotEqualTo(ID);
  }

  /** Baselines and other tools' records keep ids: this one must never change. */
  @Test
  void theIdIsTheSameInAllVersionsOfTheProgram() {
    assertThat(ID).hasToString("3056e409-b041");
    assertThat(Fingerprint.parse(ID.toString())).contains(ID);
    assertThat(Fingerprint.parse("LOST_UPDATE")).isEmpty();
  }
}
