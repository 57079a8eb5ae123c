package io.txwatch.predict;

import static org.assertj.core.api.Assertions.assertThat;

import io.txwatch.history.Event;
import io.txwatch.history.GapReason;
import io.txwatch.history.IsolationLevel;
import io.txwatch.history.KeyValues;
import io.txwatch.history.Outcome;
import io.txwatch.history.StatementKind;
import io.txwatch.predict.TemplateCollector.Skipped;
import io.txwatch.rules.Promise;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** Templates of transactions: names, loops, keys, limits. */
class TemplateCollectorTest {

  private static final String READ = "account read=balance,id predicate=id key=id";
  private static final String WRITE = "account read=id predicate=id written=balance key=id";

  private final TemplateCollector collector = new TemplateCollector(3);
  private long transactions;
  private int number;

  /** Determines the line of the next one. */
  private int statements;

  private void begin(String name) {
    transactions++;
    number = 0;
    statements = 0;
    collector.accept(
        new Event.TransactionBegan(1, transactions, IsolationLevel.READ_COMMITTED, 0, name));
  }

  private void read(long account) {
    execute("SELECT balance FROM account WHERE id = " + account, READ, account, null);
  }

  private void write(long account) {
    execute("UPDATE account SET balance = 1 WHERE id = " + account, WRITE, account, null);
  }

  private void execute(String sql, String columns, long account, @Nullable String sqlState) {
    number++;
    statements++;
    collector.accept(
        new Event.StatementExecuted(
            1,
            transactions,
            number,
            sql.startsWith("SELECT") ? StatementKind.SELECT : StatementKind.UPDATE,
            sql,
            "shop.BankService.withdraw (BankService.java:" + (40 + statements) + ")",
            List.of(),
            true,
            sqlState,
            List.of(),
            columns,
            List.of(new KeyValues("account", "id", List.of(account)))));
  }

  private void end(Outcome outcome) {
    collector.accept(new Event.TransactionEnded(1, transactions, outcome, 0));
  }

  private void commit() {
    end(Outcome.COMMITTED);
  }

  private OperationTemplate only() {
    assertThat(collector.templates()).hasSize(1);
    return collector.templates().get(0);
  }

  private List<String> keys() {
    return only().statements().stream()
        .map(statement -> statement.accesses().get(0).key().toString())
        .toList();
  }

  /** Its rows are read, or its result set is closed, after the statement that follows it. */
  @Test
  void aQueryWhoseEventArrivesAfterTheNextStatementComesBeforeIt() {
    begin("withdraw");
    number = 1;
    write(1);
    number = 0;
    read(1);
    commit();

    assertThat(only().statements())
        .extracting(statement -> statement.toString().replaceAll("^\\d+: | .*", ""))
        .containsExactly("SELECT", "UPDATE");
  }

  @Test
  void transactionsOfOneKindAreOneTemplate() {
    for (long account = 1; account <= 3; account++) {
      begin("shop.BankService.withdraw");
      read(account);
      write(account);
      commit();
    }

    assertThat(only().name()).isEqualTo("BankService.withdraw");
    assertThat(only().seen()).isEqualTo(3);
    assertThat(only().levels()).containsExactly(IsolationLevel.READ_COMMITTED);
    assertThat(keys()).containsExactly("{id=id}", "{id=id}");
  }

  @Test
  void methodOfTheFirstStatementNamesATransactionWithoutAName() {
    begin("");
    read(1);
    commit();

    assertThat(only().name()).isEqualTo("BankService.withdraw");
  }

  @Test
  void keysThatDifferOnceAreTwoVariables() {
    for (long from = 1; from <= 2; from++) {
      begin("transfer");
      read(from);
      write(2);
      commit();
    }

    assertThat(keys()).containsExactly("{id=id}", "{id=id2}");
  }

  @Test
  void loopIsFoldedAndItsKeyVaries() {
    for (int count = 2; count <= 4; count++) {
      begin("total");
      for (long account = 1; account <= count; account++) {
        statements = 0; // from one line
        read(account);
      }
      commit();
    }

    assertThat(only().statements()).hasSize(1);
    assertThat(only().statements().get(0).loop()).isEqualTo(1);
    assertThat(only().varying()).containsExactly("id");
  }

  @Test
  void branchesAreVariants() {
    begin("withdraw");
    read(1);
    commit();
    begin("withdraw");
    read(1);
    write(1);
    commit();

    assertThat(collector.templates().stream().map(OperationTemplate::toString))
        .containsExactly("withdraw", "withdraw #2");
  }

  @Test
  void onlyWhatCommittedAndSucceededCounts() {
    begin("withdraw");
    read(1);
    end(Outcome.ABORTED);
    begin("withdraw");
    read(1);
    execute("UPDATE account SET balance = 1 WHERE id = 1", WRITE, 1, "40001");
    commit();

    assertThat(only().statements()).hasSize(1);
    assertThat(only().seen()).isEqualTo(1);
    assertThat(collector.skipped()).containsEntry(Skipped.UNCOMMITTED, 1L);
  }

  @Test
  void blockIsFoldedAndItsKeysStayEqual() {
    begin("payAll");
    for (long account = 1; account <= 3; account++) {
      statements = 0;
      read(account);
      write(account);
    }
    commit();

    assertThat(only().statements().stream().map(TemplateStatement::loop)).containsExactly(1, 1);
    assertThat(keys()).containsExactly("{id=id}", "{id=id}");
    assertThat(only().varying()).containsExactly("id");
  }

  @Test
  void writesThatWereUndoneDoNotCount() {
    begin("withdraw");
    read(1);
    write(1);
    collector.accept(new Event.StatementsUndone(1, transactions, 1, 2));
    commit();

    assertThat(only().statements().stream().map(TemplateStatement::kind))
        .containsExactly(StatementKind.SELECT);
  }

  @Test
  void transactionWithAGapDoesNotCount() {
    begin("withdraw");
    read(1);
    collector.accept(new Event.Gap(1, transactions, GapReason.FAULT, "", 1));
    commit();

    assertThat(collector.templates()).isEmpty();
    assertThat(collector.skipped()).containsEntry(Skipped.INCOMPLETE, 1L);
  }

  @Test
  void transactionWhoseRowsAreNotObservedCounts() {
    begin("withdraw");
    read(1);
    collector.accept(new Event.Gap(1, transactions, GapReason.NO_VERSION_SET, "", 1));
    commit();

    assertThat(only().name()).isEqualTo("withdraw");
  }

  /** Others wait for the lock, which none of these transactions shows. */
  @Test
  void transactionsUnderALockOfTheSessionDoNotCount() {
    for (String name : List.of("locked", "free")) {
      begin("lock");
      execute(
          name.equals("locked") ? "SELECT pg_advisory_lock(77)" : "SELECT pg_advisory_unlock(77)",
          READ,
          1,
          null);
      commit();
      begin(name);
      write(1);
      commit();
    }

    assertThat(collector.templates())
        .extracting(OperationTemplate::name)
        .containsExactly("lock", "free");
    assertThat(collector.skipped()).containsEntry(Skipped.LOCKED_BEFORE, 2L);
  }

  @Test
  void templatesBeyondTheLimitAreCounted() {
    for (int i = 0; i < 5; i++) {
      begin("operation" + i);
      read(1);
      commit();
    }

    assertThat(collector.templates()).hasSize(3);
    assertThat(collector.skipped()).containsEntry(Skipped.TEMPLATES, 2L);
  }

  @Test
  void raceIsFoundFromOneClient() {
    begin("withdraw");
    read(7);
    write(7);
    commit();

    Prediction prediction =
        CandidateSearch.search(collector.templates(), Promise.Kind.COMMITTED_BY_STATEMENT);

    assertThat(prediction.candidates().stream().map(RaceCandidate::toString))
        .containsExactly("lost update: withdraw -> withdraw");
  }
}
