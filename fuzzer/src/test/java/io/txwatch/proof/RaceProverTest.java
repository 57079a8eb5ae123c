package io.txwatch.proof;

import static org.assertj.core.api.Assertions.assertThat;

import io.txwatch.anomaly.Phenomenon;
import io.txwatch.proof.ObservedApplication.Work;
import io.txwatch.proof.RaceProof.Result;
import io.txwatch.proof.RaceProof.TriedRepair;
import io.txwatch.servers.ServerKind;
import java.sql.Array;
import java.sql.Connection;
import java.sql.Timestamp;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;

/** Races that one client's operations would have are confirmed by executing them. */
class RaceProverTest {

  private static ObservedApplication bank(ServerKind kind) throws Exception {
    return new ObservedApplication(
        kind,
        "CREATE TABLE account (id INT PRIMARY KEY, owner VARCHAR(20) NOT NULL, balance INT NOT"
            + " NULL)",
        "INSERT INTO account VALUES (1, 'Ada', 100), (2, 'Ben', 100), (3, 'Cleo', 100)");
  }

  private static Work withdraw(int account, int amount, String lock) {
    return bank -> {
      int balance = bank.number("SELECT balance FROM account WHERE id = ?" + lock, account);
      if (balance >= amount) {
        bank.update("UPDATE account SET balance = ? WHERE id = ?", balance - amount, account);
      }
    };
  }

  private static List<String> confirmed(ObservedApplication application) throws Exception {
    return application.prove().stream()
        .map(
            proof ->
                proof.result()
                    + " "
                    + proof.phenomenon().map(Enum::name).orElse("?")
                    + (proof.result() == Result.UNDECIDED ? " " + proof.reason() : ""))
        .toList();
  }

  @ParameterizedTest
  @MethodSource("io.txwatch.servers.TestServers#concurrentKinds")
  void aWithdrawalIsLost(ServerKind kind) throws Exception {
    try (ObservedApplication bank = bank(kind)) {
      bank.run(withdraw(1, 10, "")).run(withdraw(2, 20, ""));
      List<RaceProof> proofs = bank.withRepairs().prove();
      assertThat(proofs).hasSize(1);
      RaceProof proof = proofs.get(0);
      assertThat(proof.reason()).isNotEmpty();
      assertThat(proof.result()).as(proof.reason()).isEqualTo(Result.CONFIRMED);
      assertThat(proof.phenomenon()).contains(Phenomenon.LOST_UPDATE);
      assertThat(proof.executions()).as("the order that it describes").isEqualTo(1);
      assertThat(proof.testCase().orElseThrow().steps()).hasSize(8);
      assertThat(proof.repairs())
          .filteredOn(TriedRepair::removes)
          .extracting(TriedRepair::advice)
          .anyMatch(advice -> advice.startsWith("lock the rows"))
          .anyMatch(advice -> advice.contains("balance = balance + ?"));
    }
  }

  @ParameterizedTest
  @EnumSource(
      value = ServerKind.class,
      names = {"POSTGRESQL", "H2"})
  void aTransactionWhoseRowsAreStillThereIsRepeated(ServerKind kind) throws Exception {
    try (ObservedApplication bank = bank(kind)) {
      bank.run(withdraw(1, 10, "")).run(withdraw(2, 20, "")).run(withdraw(3, 30, ""));
      bank.run(one -> one.update("DELETE FROM account WHERE id > ?", 1));
      assertThat(bank.prove(one -> one.phenomenon() == Phenomenon.LOST_UPDATE))
          .hasSize(1)
          .extracting(RaceProof::result)
          .containsOnly(Result.CONFIRMED);
    }
  }

  private static Work withdrawFromAny(int amount, Integer... accounts) {
    return bank -> {
      Array ids = bank.connection().createArrayOf("INTEGER", accounts);
      int balance = bank.number("SELECT balance FROM account WHERE id = ANY(?)", ids);
      bank.update("UPDATE account SET balance = ? WHERE id = ANY(?)", balance - amount, ids);
    };
  }

  @ParameterizedTest
  @EnumSource(
      value = ServerKind.class,
      names = {"POSTGRESQL", "H2"})
  void aWithdrawalFromRowsThatAnArrayChoosesIsLost(ServerKind kind) throws Exception {
    try (ObservedApplication bank = bank(kind)) {
      bank.run(withdrawFromAny(10, 1)).run(withdrawFromAny(20, 1, 7));
      assertThat(bank.prove(one -> one.phenomenon() == Phenomenon.LOST_UPDATE))
          .isNotEmpty()
          .extracting(RaceProof::result)
          .containsOnly(Result.CONFIRMED);
    }
  }

  private static Work closeOne(String columns, boolean byArray, int closed, int other) {
    String both = "SELECT " + columns + " FROM account WHERE id ";
    return bank -> {
      if (byArray) {
        Integer[] ids = {closed, other};
        bank.query(both + "= ANY(?)", bank.connection().createArrayOf("INTEGER", ids));
      } else {
        bank.query(both + "IN (?, ?)", closed, other);
      }
      bank.update("UPDATE account SET balance = ? WHERE id = ?", 0, closed);
    };
  }

  private static List<RaceProof> withList(ServerKind kind, boolean byArray, int closed, int other)
      throws Exception {
    try (ObservedApplication bank = bank(kind)) {
      bank.run(closeOne("id, balance", byArray, 1, 2));
      bank.run(closeOne("balance, id", byArray, closed, other));
      return bank.prove(
          one -> one.phenomenon() == Phenomenon.G2 && Set.copyOf(one.operations()).size() == 2);
    }
  }

  /** Lists without a common value show nothing. */
  @ParameterizedTest
  @CsvSource({"POSTGRESQL,true", "H2,true", "POSTGRESQL,false", "H2,false"})
  void rowsThatOtherListsChooseRefuteNothing(ServerKind kind, boolean byArray) throws Exception {
    assertThat(withList(kind, byArray, 2, 1))
        .isNotEmpty()
        .extracting(RaceProof::result)
        .containsOnly(Result.CONFIRMED);
    assertThat(withList(kind, byArray, 3, 7))
        .isNotEmpty()
        .allSatisfy(
            proof -> {
              assertThat(proof.result()).isEqualTo(Result.UNDECIDED);
              assertThat(proof.reason()).contains("no value in common");
            });
  }

  private static Work withdrawUnlessOthers(String others, int account) {
    return bank -> {
      bank.query(others, bank.connection().createArrayOf("INTEGER", new Integer[] {account}));
      withdraw(account, 10, "").run(bank);
    };
  }

  /** An operation whose key is replaced would have another array. */
  @ParameterizedTest
  @EnumSource(
      value = ServerKind.class,
      names = {"POSTGRESQL", "H2"})
  void anArrayThatContainsAKeyIsNotThatOfAnotherKey(ServerKind kind) throws Exception {
    try (ObservedApplication bank = bank(kind)) {
      bank.run(withdrawUnlessOthers("SELECT id FROM account WHERE id <> ALL(?)", 1));
      bank.run(withdrawUnlessOthers("SELECT 1 FROM account WHERE id <> ALL(?)", 2));
      List<RaceProof> different =
          bank.prove(
              one ->
                  one.phenomenon() == Phenomenon.LOST_UPDATE
                      && Set.copyOf(one.operations()).size() == 2);
      assertThat(different)
          .isNotEmpty()
          .allSatisfy(
              proof -> {
                assertThat(proof.result()).isEqualTo(Result.UNDECIDED);
                assertThat(proof.reason()).contains("may be computed from the key");
              });
    }
  }

  private static Work withdrawIfOpen(String condition, int id) {
    return bank -> {
      if (bank.query("SELECT id FROM closure WHERE account = ?" + condition, id).isEmpty()) {
        int balance = bank.number("SELECT balance FROM account WHERE id = ?", id);
        bank.update("UPDATE account SET balance = ? WHERE id = ?", balance - 10, id);
      }
    };
  }

  private static List<RaceProof> withClosures(ServerKind kind, String condition) throws Exception {
    try (ObservedApplication bank =
        new ObservedApplication(
            kind,
            "CREATE TABLE account (id INT PRIMARY KEY, balance INT NOT NULL)",
            "CREATE TABLE closure (id INT PRIMARY KEY, account INT NOT NULL)",
            "CREATE TABLE protest (id INT PRIMARY KEY, closure INT NOT NULL,"
                + " FOREIGN KEY (closure) REFERENCES closure (id))",
            "INSERT INTO account VALUES (1, 100), (2, 100)")) {
      bank.run(withdrawIfOpen(condition, 1)).run(withdrawIfOpen(condition, 2));
      bank.run(one -> one.update("INSERT INTO closure VALUES (?, ?), (?, ?)", 7, 1, 8, 2));
      bank.run(one -> one.update("INSERT INTO protest VALUES (?, ?)", 9, 8));
      return bank.prove(one -> one.phenomenon() == Phenomenon.LOST_UPDATE);
    }
  }

  /** A closed account is not changed: what has found no closure has to find none again. */
  @ParameterizedTest
  @MethodSource("io.txwatch.servers.TestServers#concurrentKinds")
  void whatWasNotFoundIsNotFoundAgain(ServerKind kind) throws Exception {
    assertThat(withClosures(kind, " AND id > 0"))
        .isNotEmpty()
        .allSatisfy(
            proof -> {
              assertThat(proof.result()).isEqualTo(Result.UNDECIDED);
              assertThat(proof.reason()).contains("no longer as the operation found them");
            });
    assertThat(withClosures(kind, ""))
        .isNotEmpty()
        .extracting(RaceProof::result)
        .containsOnly(Result.CONFIRMED);
  }

  private static Work like(int person, int article) {
    return blog -> {
      String query =
          "SELECT f.article_id, p.id, p.name FROM favorite f JOIN person p ON p.id = f.person_id"
              + " WHERE f.article_id = ?";
      int fans = blog.query(query, article).size();
      blog.number("SELECT likes FROM article WHERE id = ?", article);
      blog.update("UPDATE article SET likes = ? WHERE id = ?", fans + person, article);
    };
  }

  /** Rows of a join are put back, and others that it did not find are removed. */
  @ParameterizedTest
  @MethodSource("io.txwatch.servers.TestServers#concurrentKinds")
  void rowsThatWereJoinedAreThereAgain(ServerKind kind) throws Exception {
    try (ObservedApplication blog =
        new ObservedApplication(
            kind,
            "CREATE TABLE person (id INT PRIMARY KEY, name VARCHAR(20))",
            "CREATE TABLE article (id INT PRIMARY KEY, likes INT NOT NULL)",
            "CREATE TABLE favorite (article_id INT, person_id INT,"
                + " PRIMARY KEY (article_id, person_id))",
            "INSERT INTO person VALUES (11, 'Ada'), (12, 'Ben')",
            "INSERT INTO article VALUES (1, 0), (2, 0)",
            "INSERT INTO favorite VALUES (1, 11), (2, 11)")) {
      blog.run(like(3, 1)).run(like(4, 2));
      blog.run(one -> one.update("DELETE FROM favorite WHERE person_id = ?", 11));
      blog.run(one -> one.update("INSERT INTO favorite VALUES (?, ?), (?, ?)", 1, 12, 2, 12));
      assertThat(blog.prove(one -> one.phenomenon() == Phenomenon.LOST_UPDATE))
          .isNotEmpty()
          .allSatisfy(
              proof -> {
                assertThat(proof.reason()).contains("11,Ada");
                assertThat(proof.result()).isEqualTo(Result.CONFIRMED);
              });
    }
  }

  private static Work withdrawUnless(String query, int account) {
    return bank -> {
      if (bank.query(query, 0).equals(List.of(List.of("5")))) {
        int balance = bank.number("SELECT balance FROM account WHERE id = ?", account);
        bank.update("UPDATE account SET balance = ? WHERE id = ?", balance - 10, account);
      }
    };
  }

  /** An application that has found row 6 in place of 5 does something else. */
  @ParameterizedTest
  @MethodSource("io.txwatch.servers.TestServers#concurrentKinds")
  void asManyRowsButOthersAreNotWhatWasFound(ServerKind kind) throws Exception {
    for (String query :
        List.of(
            "SELECT id FROM notice WHERE id > ?",
            "SELECT customer FROM notice WHERE customer > ?")) {
      try (ObservedApplication bank =
          new ObservedApplication(
              kind,
              "CREATE TABLE account (id INT PRIMARY KEY, balance INT NOT NULL)",
              "CREATE TABLE notice (id INT PRIMARY KEY, customer INT NOT NULL)",
              "INSERT INTO account VALUES (1, 100), (2, 100)",
              "INSERT INTO notice VALUES (5, 5)")) {
        bank.run(withdrawUnless(query, 1)).run(withdrawUnless(query, 2));
        bank.run(one -> one.update("DELETE FROM notice WHERE id = ?", 5));
        bank.run(one -> one.update("INSERT INTO notice VALUES (?, ?)", 6, 6));
        assertThat(bank.prove(one -> one.phenomenon() == Phenomenon.LOST_UPDATE))
            .isNotEmpty()
            .allSatisfy(
                proof -> {
                  assertThat(proof.result()).isEqualTo(Result.UNDECIDED);
                  assertThat(proof.reason()).contains("found other rows");
                });
      }
    }
  }

  private static Work rename(int id, String name) {
    return clinic -> {
      String query =
          "SELECT o.id, o.name, p.id, p.name, p.owner_id FROM owner o LEFT JOIN pet p"
              + " ON o.id = p.owner_id WHERE o.id = ?";
      clinic.query(query, id);
      clinic.update("UPDATE owner SET name = ? WHERE id = ?", name, id);
    };
  }

  /** An UPDATE that changes nothing is one that the application would not have executed. */
  @ParameterizedTest
  @MethodSource("io.txwatch.servers.TestServers#concurrentKinds")
  void rowsThatAreJoinedHaveTheValuesThatWereFound(ServerKind kind) throws Exception {
    try (ObservedApplication clinic =
        new ObservedApplication(
            kind,
            "CREATE TABLE owner (id INT PRIMARY KEY, name VARCHAR(20))",
            "CREATE TABLE pet (id INT PRIMARY KEY, name VARCHAR(20), owner_id INT)",
            "INSERT INTO owner VALUES (1, 'Ada'), (2, 'Ben')",
            "INSERT INTO pet VALUES (7, 'Leo', 1)")) {
      clinic.run(rename(1, "Cleo")).run(rename(2, "Dan"));
      List<RaceProof> proofs = clinic.prove();
      assertThat(confirmed(clinic)).contains("CONFIRMED LOST_UPDATE");
      assertThat(proofs.get(0).testCase().orElseThrow().setup())
          .anyMatch(sql -> sql.contains("'Ben'"))
          .noneMatch(sql -> sql.contains("'Dan'"));
    }
  }

  @ParameterizedTest
  @MethodSource("io.txwatch.servers.TestServers#concurrentKinds")
  void aWithdrawalThatLocksIsNot(ServerKind kind) throws Exception {
    try (ObservedApplication bank = bank(kind)) {
      bank.run(withdraw(1, 10, " FOR UPDATE")).run(withdraw(2, 20, " FOR UPDATE"));
      assertThat(confirmed(bank)).isEmpty();
    }
  }

  private static Work withdrawUnder(String lock, int account) {
    return bank -> {
      bank.query(lock, account);
      int balance = bank.number("SELECT balance FROM account WHERE id = ?", account);
      bank.update("UPDATE account SET balance = ? WHERE id = ?", balance - 10, account);
    };
  }

  @Test
  void aLockOfTheTransactionIsTakenThereToo() throws Exception {
    String lock = "SELECT pg_advisory_xact_lock(?)";
    try (ObservedApplication bank = bank(ServerKind.POSTGRESQL)) {
      bank.run(withdrawUnder(lock, 1)).run(withdrawUnder(lock, 2));
      assertThat(confirmed(bank)).isNotEmpty().allMatch(one -> one.startsWith("REFUTED"));
    }
    String other = "SELECT abs(?)";
    try (ObservedApplication bank = bank(ServerKind.POSTGRESQL)) {
      bank.run(withdrawUnder(other, 1)).run(withdrawUnder(other, 2));
      assertThat(confirmed(bank)).isNotEmpty().allMatch(one -> one.startsWith("CONFIRMED"));
    }
  }

  @ParameterizedTest
  @EnumSource(names = {"POSTGRESQL", "H2"})
  void tablesOfOtherSchemasAreNotWritten(ServerKind kind) throws Exception {
    try (ObservedApplication bank = bank(kind)) {
      bank.run(one -> one.update("CREATE SCHEMA \"other-bank\""))
          .run(one -> one.update("CREATE TABLE \"other-bank\".account (id INT, balance INT)"))
          .run(one -> one.update("INSERT INTO \"other-bank\".account VALUES (1, 100)"));
      Work withdraw =
          one -> {
            one.query("SELECT balance FROM account WHERE id = ?", 1);
            one.update("UPDATE \"other-bank\".account SET balance = balance - 10 WHERE id = 1");
            one.update("UPDATE account SET balance = ? WHERE id = ?", 90, 1);
          };
      assertThat(confirmed(bank.run(withdraw).run(withdraw)))
          .noneMatch(one -> one.startsWith("CONFIRMED"));
      assertThat(bank.number("SELECT balance FROM \"other-bank\".account")).isEqualTo(80);
    }
  }

  private static Work signOffCounting(int shift, int doctor) {
    return roster -> {
      String count = "SELECT count(*) FROM doctor WHERE shift_id = ? AND on_call = 1";
      if (roster.number(count, shift) >= 2) {
        roster.update("UPDATE doctor SET on_call = 0 WHERE id = ?", doctor);
      }
    };
  }

  /**
   * The rows that were counted are known from the condition that they met. Where no dependency
   * graph has them, the order has no name: its candidates are named lost update and G2.
   */
  @ParameterizedTest
  @MethodSource("io.txwatch.servers.TestServers#concurrentKinds")
  void doctorsWhoAreCountedSignOff(ServerKind kind) throws Exception {
    try (ObservedApplication roster =
        new ObservedApplication(
            kind,
            "CREATE TABLE doctor (id INT PRIMARY KEY, name VARCHAR(20) NOT NULL, shift_id INT NOT"
                + " NULL, on_call INT NOT NULL)",
            "INSERT INTO doctor VALUES (1, 'Ada', 1, 1), (2, 'Ben', 1, 1), (3, 'Cleo', 1, 1)")) {
      roster.run(signOffCounting(1, 1)).run(signOffCounting(1, 2));
      assertThat(confirmed(roster))
          .isNotEmpty()
          .containsOnly(kind == ServerKind.POSTGRESQL ? "CONFIRMED LOST_UPDATE" : "CONFIRMED ?");
    }
  }

  private static Work signOff(int shift, int doctor) {
    return roster -> {
      if (roster
              .query("SELECT id, name FROM doctor WHERE shift_id = ? AND on_call = 1", shift)
              .size()
          >= 2) {
        roster.update("UPDATE doctor SET on_call = 0 WHERE id = ?", doctor);
      }
    };
  }

  @ParameterizedTest
  @MethodSource("io.txwatch.servers.TestServers#concurrentKinds")
  void twoDoctorsSignOff(ServerKind kind) throws Exception {
    try (ObservedApplication roster =
        new ObservedApplication(
            kind,
            "CREATE TABLE doctor (id INT PRIMARY KEY, name VARCHAR(20) NOT NULL, shift_id INT NOT"
                + " NULL, on_call INT NOT NULL)",
            "INSERT INTO doctor VALUES (1, 'Ada', 1, 1), (2, 'Ben', 1, 1), (3, 'Cleo', 2, 1), (4,"
                + " 'Dan', 2, 1)")) {
      roster.run(signOff(1, 1)).run(signOff(1, 2)).run(signOff(2, 3)).run(signOff(2, 4));
      List<RaceProof> proofs = roster.prove();
      assertThat(proofs).extracting(RaceProof::result).containsOnly(Result.CONFIRMED);
      assertThat(proofs.get(0).schedule())
          .as("each signs another one off")
          .anyMatch(line -> line.endsWith("WHERE id = 3"))
          .anyMatch(line -> line.endsWith("WHERE id = 4"));
    }
  }

  @ParameterizedTest
  @MethodSource("io.txwatch.servers.TestServers#concurrentKinds")
  void aSeatIsInsertedTwice(ServerKind kind) throws Exception {
    try (ObservedApplication shop =
        new ObservedApplication(
            kind,
            "CREATE TABLE booking (id INT PRIMARY KEY, seat INT NOT NULL, customer VARCHAR(20))",
            "INSERT INTO booking VALUES (1, 1, 'Ada')")) {
      shop.run(book(2, 2, "Ben")).run(book(3, 3, "Cleo"));
      boolean triesRepairs = kind != ServerKind.H2; // it waits for a key until the lock times out
      List<RaceProof> proofs = (triesRepairs ? shop.withRepairs() : shop).prove();
      assertThat(proofs).hasSize(1);
      assertThat(proofs.get(0).result()).isEqualTo(Result.CONFIRMED);
      assertThat(proofs.get(0).phenomenon()).contains(Phenomenon.G2);
      if (triesRepairs) {
        assertThat(proofs.get(0).repairs())
            .filteredOn(TriedRepair::removes)
            .extracting(TriedRepair::advice)
            .contains("a unique constraint on booking (seat)");
      }
    }
  }

  @ParameterizedTest
  @MethodSource("io.txwatch.servers.TestServers#concurrentKinds")
  void statementsUseTheCopiesAlone(ServerKind kind) throws Exception {
    try (ObservedApplication bank = bank(kind)) {
      String account = bank.schema() + ".account";
      Work withdraw =
          one -> {
            int balance = one.number("SELECT balance FROM " + account + " WHERE id = ?", 1);
            one.update("UPDATE " + account + " SET balance = ? WHERE id = ?", balance - 10, 1);
          };
      List<RaceProof> proofs = bank.run(withdraw).run(withdraw).prove();
      assertThat(proofs).extracting(RaceProof::result).containsOnly(Result.CONFIRMED);
      assertThat(bank.number("SELECT balance FROM account WHERE id = 1")).isEqualTo(80);
    }
  }

  private static Work inTwoSteps(String owner, int amount) {
    return bank -> {
      int account = bank.number("SELECT id FROM account WHERE owner = ?", owner);
      int balance = bank.number("SELECT balance FROM account WHERE id = ?", account);
      bank.update("UPDATE account SET balance = ? WHERE id = ?", balance - amount, account);
    };
  }

  @ParameterizedTest
  @EnumSource(
      value = ServerKind.class,
      names = {"POSTGRESQL", "MARIADB"})
  void keysThatAreReadBecomeEqualThroughTheirQuery(ServerKind kind) throws Exception {
    try (ObservedApplication bank = bank(kind)) {
      bank.run(inTwoSteps("Ada", 10)).run(inTwoSteps("Ben", 20));
      bank.run(deposit("Ben", 30)).run(deposit("Cleo", 40));
      assertThat(bank.prove(one -> Set.copyOf(one.operations()).size() == 2))
          .isNotEmpty()
          .allMatch(proof -> proof.result() == Result.CONFIRMED);
    }
  }

  private static Work deposit(String owner, int amount) {
    return bank -> {
      int account = bank.number("SELECT id FROM account WHERE owner = ?", owner);
      bank.update("UPDATE account SET balance = balance + ? WHERE id = ?", amount, account);
    };
  }

  /** Whether the application counts the rows that it deletes cannot be observed. */
  @ParameterizedTest
  @EnumSource(
      value = ServerKind.class,
      names = {"POSTGRESQL", "MARIADB"})
  void aCountThatTheApplicationMayCheckIsUndecided(ServerKind kind) throws Exception {
    try (ObservedApplication shop =
        new ObservedApplication(
            kind,
            "CREATE TABLE token (id INT PRIMARY KEY, owner INT NOT NULL)",
            "CREATE TABLE passkey (id INT PRIMARY KEY)",
            "INSERT INTO token VALUES (1, 1), (2, 2)")) {
      shop.run(redeem(1)).run(redeem(2));
      assertThat(confirmed(shop))
          .allMatch(proof -> proof.startsWith("UNDECIDED"))
          .anyMatch(proof -> proof.contains("more or fewer rows than observed"));
    }
  }

  private static Work redeem(int token) {
    return shop -> {
      if (!shop.query("SELECT owner FROM token WHERE id = ?", token).isEmpty()) {
        shop.update("DELETE FROM token WHERE id = ?", token);
        shop.update("INSERT INTO passkey (id) VALUES (?)", token + 10);
      }
    };
  }

  private static Work book(int id, int seat, String customer) {
    return shop -> {
      if (shop.query("SELECT id FROM booking WHERE seat = ?", seat).isEmpty()) {
        shop.update(
            "INSERT INTO booking (id, seat, customer) VALUES (?, ?, ?)", id, seat, customer);
      }
    };
  }

  private static ObservedApplication withLocks(ServerKind kind) throws Exception {
    return new ObservedApplication(
        kind,
        "CREATE TABLE account (id INT PRIMARY KEY, balance INT NOT NULL, note VARCHAR(9))",
        "CREATE TABLE mutex (name VARCHAR(20) PRIMARY KEY)",
        "CREATE TABLE held (name VARCHAR(20) PRIMARY KEY)",
        "INSERT INTO account VALUES (41, 100, 'a'), (42, 100, 'b')",
        "INSERT INTO mutex VALUES ('account-41'), ('account-42')");
  }

  private static Work afterLock(Work lock, int id, String also) {
    return bank -> {
      lock.run(bank);
      int balance = bank.number("SELECT balance FROM account WHERE id = ?", id);
      bank.update("UPDATE account SET balance = ?" + also + " WHERE id = ?", balance - id, id);
    };
  }

  private static Work lockedByName(int id) {
    return bank -> bank.query("SELECT name FROM mutex WHERE name = ? FOR UPDATE", "account-" + id);
  }

  private static Work lockedByRow(int id) {
    return bank -> bank.update("INSERT INTO held (name) VALUES (?)", "account-" + id);
  }

  private static Work lockedByNumber(int id) {
    return bank -> bank.query("SELECT pg_advisory_xact_lock(?)", id * 31 + 7);
  }

  private static Work lockedByLiteral(int id) {
    return bank -> bank.query("SELECT pg_advisory_xact_lock(" + id + ")");
  }

  /** A lock's name would be another one if the key of the row were. */
  @ParameterizedTest
  @EnumSource(
      value = ServerKind.class,
      names = {"POSTGRESQL", "MARIADB", "H2"})
  void aLockThatIsNamedByTheKeyIsNotTakenForAnother(ServerKind kind) throws Exception {
    try (ObservedApplication bank = withLocks(kind)) {
      bank.run(afterLock(lockedByName(41), 41, ""));
      bank.run(afterLock(lockedByName(42), 42, ", note = 'c'"));
      assertThat(confirmed(bank))
          .noneMatch(one -> one.startsWith("CONFIRMED"))
          .anyMatch(one -> one.contains("may be computed from the key"));
    }
    try (ObservedApplication bank = withLocks(kind)) {
      bank.run(afterLock(lockedByRow(41), 41, "")).run(afterLock(lockedByRow(42), 42, ""));
      assertThat(confirmed(bank))
          .noneMatch(one -> one.startsWith("CONFIRMED"))
          .anyMatch(one -> one.contains("may be computed from the key"));
    }
  }

  @Test
  void aLockWhoseNumberIsComputedIsNotTakenForAnother() throws Exception {
    try (ObservedApplication bank = withLocks(ServerKind.POSTGRESQL)) {
      bank.run(afterLock(lockedByNumber(41), 41, ""));
      bank.run(afterLock(lockedByNumber(42), 42, ", note = 'c'"));
      assertThat(confirmed(bank)).isNotEmpty().noneMatch(one -> one.startsWith("CONFIRMED"));
    }
    try (ObservedApplication bank = withLocks(ServerKind.POSTGRESQL)) {
      bank.run(withLiterals(41, "")).run(withLiterals(42, ", note = 'c'"));
      assertThat(confirmed(bank)).isNotEmpty().noneMatch(one -> one.startsWith("CONFIRMED"));
    }
  }

  private static Work withLiterals(int id, String also) {
    return bank -> {
      lockedByLiteral(id).run(bank);
      int balance = bank.number("SELECT balance FROM account WHERE id = " + id);
      bank.update("UPDATE account SET balance = " + (balance - 5) + also + " WHERE id = " + id);
    };
  }

  /** An application that reads again before its commit may do that to roll back. */
  @ParameterizedTest
  @EnumSource(
      value = ServerKind.class,
      names = {"POSTGRESQL", "H2"})
  void whatIsReadAgainBeforeTheCommitMayEndInARollback(ServerKind kind) throws Exception {
    try (ObservedApplication bank = withLocks(kind)) {
      bank.run(readAgain(41, "x")).run(readAgain(42, "y"));
      bank.run(raise(41)).run(raise(42));
      assertThat(confirmed(bank))
          .noneMatch(one -> one.startsWith("CONFIRMED"))
          .anyMatch(one -> one.contains("something else than observed"));
    }
  }

  private static Work readAgain(int id, String name) {
    return bank -> {
      String query = "SELECT balance FROM account WHERE id = ?";
      int balance = bank.number(query, id);
      bank.update("INSERT INTO held (name) VALUES (?)", name);
      if (bank.number(query, id) != balance) {
        throw new IllegalStateException("changed");
      }
    };
  }

  private static Work raise(int id) {
    return bank -> bank.update("UPDATE account SET balance = balance + 1 WHERE id = ?", id);
  }

  private static ObservedApplication shop(ServerKind kind) throws Exception {
    return new ObservedApplication(
        kind,
        "CREATE TABLE customer (id INT PRIMARY KEY, credit INT NOT NULL)",
        "CREATE TABLE line (purchase INT, number INT, customer INT, PRIMARY KEY (purchase, number))",
        "INSERT INTO customer VALUES (1, 100), (2, 200), (3, 300)");
  }

  private static Work note(int id, int customer, int nanos) {
    return shop -> {
      shop.number("SELECT credit FROM customer WHERE id = ?", customer);
      Timestamp now = Timestamp.valueOf("2026-01-01 10:00:00");
      now.setNanos(nanos);
      shop.update("INSERT INTO note (id, customer, at) VALUES (?, ?, ?)", id, customer, now);
    };
  }

  private static Work settleNotes(int customer, int credit) {
    return shop -> {
      shop.number("SELECT count(*) FROM note WHERE customer = ?", customer);
      shop.update("UPDATE customer SET credit = ? WHERE id = ?", credit, customer);
    };
  }

  private static Work buyOnce(int purchase, int customer, int branch) {
    return shop -> {
      shop.number("SELECT credit FROM customer WHERE id = ?", branch);
      if (shop.number("SELECT count(*) FROM line WHERE customer = ?", customer) == 0) {
        shop.update(
            "INSERT INTO line (purchase, number, customer) VALUES (?, ?, ?)",
            purchase,
            branch,
            customer);
      }
    };
  }

  /** A value that selects a row is not replaced by one that selects none. */
  @ParameterizedTest
  @EnumSource(
      value = ServerKind.class,
      names = {"POSTGRESQL", "MARIADB"})
  void bothInsertAReferenceToOneRow(ServerKind kind) throws Exception {
    try (ObservedApplication shop = shop(kind)) {
      List<RaceProof> proofs = shop.run(buyOnce(7, 11, 1)).run(buyOnce(8, 12, 1)).prove();
      assertThat(proofs).isNotEmpty().extracting(RaceProof::result).containsOnly(Result.CONFIRMED);
      assertThat(proofs)
          .flatExtracting(RaceProof::assumptions)
          .noneMatch(note -> note.toString().endsWith("was observed with 1"));
    }
  }

  private static Work buyOnceAlone(int purchase, int customer, int branch) {
    return shop -> {
      shop.number("SELECT credit FROM customer WHERE id = ? FOR UPDATE", branch);
      if (shop.number("SELECT count(*) FROM line WHERE customer = ?", customer) == 0) {
        shop.update(
            "INSERT INTO line (purchase, number, customer) VALUES (?, ?, ?)",
            purchase,
            branch,
            customer);
      }
    };
  }

  /** Both lock the one row that was observed; with two rows they race. */
  @Test
  void aReferenceToOneRowRefutesNothing() throws Exception {
    try (ObservedApplication shop = shop(ServerKind.POSTGRESQL)) {
      List<RaceProof> proofs = shop.run(buyOnceAlone(7, 11, 1)).prove();
      assertThat(proofs).isNotEmpty().extracting(RaceProof::result).containsOnly(Result.UNDECIDED);
      assertThat(proofs)
          .extracting(RaceProof::reason)
          .allMatch(reason -> reason.endsWith("rows with different keys might"));
    }
    try (ObservedApplication shop = shop(ServerKind.POSTGRESQL)) {
      List<RaceProof> proofs = shop.run(buyOnceAlone(7, 11, 1)).run(buyOnceAlone(8, 12, 2)).prove();
      assertThat(proofs).isNotEmpty().extracting(RaceProof::result).containsOnly(Result.CONFIRMED);
    }
  }

  /** The DBMS stores a time without its nanoseconds; the row is the one that was inserted. */
  @Test
  void aRowIsNotThereBeforeItIsInserted() throws Exception {
    try (ObservedApplication shop = shop(ServerKind.POSTGRESQL)) {
      shop.run(
          one -> one.update("CREATE TABLE note (id INT PRIMARY KEY, customer INT, at TIMESTAMP)"));
      shop.run(note(7, 1, 123_456_789)).run(note(8, 2, 987_654_321));
      shop.run(settleNotes(1, 50)).run(settleNotes(2, 60));
      assertThat(confirmed(shop)).isNotEmpty().allMatch(one -> one.startsWith("CONFIRMED"));
    }
  }

  private static Work status(int customer) {
    return shop -> {
      shop.number("SELECT balance FROM customer WHERE id = ?", customer);
      int purchase =
          shop.number(
              "SELECT id, carrier FROM purchase WHERE customer = ? ORDER BY id DESC LIMIT 1",
              customer);
      shop.query("SELECT item, delivered FROM line WHERE purchase = ? ORDER BY number", purchase);
    };
  }

  private static Work deliver(int carrier) {
    return shop -> {
      int purchase = shop.number("SELECT purchase FROM queue ORDER BY purchase LIMIT 1");
      shop.update("DELETE FROM queue WHERE purchase = ?", purchase);
      int customer = shop.number("SELECT customer FROM purchase WHERE id = ?", purchase);
      shop.update("UPDATE purchase SET carrier = ? WHERE id = ?", carrier, purchase);
      shop.update("UPDATE line SET delivered = ? WHERE purchase = ?", carrier, purchase);
      shop.update("UPDATE customer SET balance = balance + ? WHERE id = ?", 10, customer);
    };
  }

  /** Both find the key of the same purchase by other queries, once the customer is the same. */
  @Test
  void keysThatAreReadMayBecomeEqualThroughAnArgument() throws Exception {
    try (ObservedApplication shop =
        new ObservedApplication(
            ServerKind.POSTGRESQL,
            "CREATE TABLE customer (id INT PRIMARY KEY, balance INT NOT NULL)",
            "CREATE TABLE purchase (id INT PRIMARY KEY, customer INT, carrier INT)",
            "CREATE TABLE line (purchase INT, number INT, item INT, delivered INT,"
                + " PRIMARY KEY (purchase, number))",
            "CREATE TABLE queue (purchase INT PRIMARY KEY)",
            "INSERT INTO customer SELECT n, 100 FROM generate_series(1, 300) n",
            "INSERT INTO purchase SELECT 1000 + n, 301 - n, NULL FROM generate_series(1, 300) n",
            "INSERT INTO line SELECT 1000 + n, k, k, NULL"
                + " FROM generate_series(1, 300) n, generate_series(1, 2) k",
            "INSERT INTO queue VALUES (1001), (1002), (1003)")) {
      shop.run(status(7)).run(status(8)).run(deliver(3)).run(deliver(4));
      assertThat(
              shop.prove(
                  one ->
                      one.phenomenon() == Phenomenon.READ_SKEW
                          && Set.copyOf(one.operations()).size() == 2))
          .isNotEmpty()
          .extracting(RaceProof::result)
          .contains(Result.CONFIRMED);
    }
  }

  private static ObservedApplication desk(ServerKind kind) throws Exception {
    return new ObservedApplication(
        kind,
        "CREATE TABLE customer (id INT PRIMARY KEY, credit INT NOT NULL)",
        "CREATE TABLE ticket (id INT PRIMARY KEY, owner INT NOT NULL, state VARCHAR(9) NOT NULL)",
        "INSERT INTO customer VALUES (7, 100)",
        "INSERT INTO ticket VALUES (1, 10, 'new'), (2, 20, 'new'), (3, 30, 'new')");
  }

  private static Work assign(int ticket, String state, String condition) {
    return desk -> {
      desk.number("SELECT credit FROM customer WHERE id = ?", 7);
      desk.update("UPDATE ticket SET state = ? WHERE id = ?" + condition, state, ticket);
    };
  }

  private static Work assignAndPay(int ticket, String state, String condition) {
    return desk -> {
      desk.update("UPDATE ticket SET state = ? WHERE id = ?" + condition, state, ticket);
      desk.update("UPDATE customer SET credit = credit - 5 WHERE id = ?", 7);
    };
  }

  /** The row has what the last one assigned; nobody has read what it had before. */
  @ParameterizedTest
  @MethodSource("io.txwatch.servers.TestServers#concurrentKinds")
  void aColumnThatIsNotReadHadAnotherValue(ServerKind kind) throws Exception {
    try (ObservedApplication desk = desk(kind)) {
      desk.run(assign(1, "a", "")).run(assignAndPay(1, "b", ""));
      List<RaceProof> proofs = desk.prove(one -> Set.copyOf(one.operations()).size() == 2);
      assertThat(proofs)
          .as(proofs.toString())
          .extracting(RaceProof::result)
          .contains(Result.CONFIRMED);
      assertThat(proofs)
          .filteredOn(proof -> proof.result() == Result.CONFIRMED)
          .allMatch(proof -> proof.assumptions().toString().contains("has another row's value"));
    }
  }

  private static Work payIfNew(int ticket) {
    return desk -> {
      if (desk.query("SELECT state FROM ticket WHERE id = ?", ticket).get(0).contains("new")) {
        desk.update("UPDATE customer SET credit = ? WHERE id = ?", 90, 7);
      }
    };
  }

  private static Work assignOfOwner(int owner, String state) {
    return desk -> {
      desk.number("SELECT credit FROM customer WHERE id = ?", 7);
      int ticket = desk.number("SELECT id FROM ticket WHERE owner = ?", owner);
      desk.update("UPDATE ticket SET state = ? WHERE id = ?", state, ticket);
    };
  }

  /** A query that is given another key finds in the row what it has found. */
  @ParameterizedTest
  @MethodSource("io.txwatch.servers.TestServers#concurrentKinds")
  void aColumnHadWhatIsReadOfAnotherRow(ServerKind kind) throws Exception {
    try (ObservedApplication desk = desk(kind)) {
      desk.run(assignOfOwner(20, "b")).run(payIfNew(1));
      List<RaceProof> proofs = desk.prove(one -> Set.copyOf(one.operations()).size() == 2);
      assertThat(proofs)
          .as(proofs.toString())
          .extracting(RaceProof::result)
          .contains(Result.CONFIRMED);
    }
  }

  private static Work payIfAnyClosed(String query) {
    return desk -> {
      if (desk.query(query).toString().contains("closed")) {
        desk.update("UPDATE customer SET credit = ? WHERE id = ?", 90, 7);
      }
    };
  }

  /** Nothing is paid unless a ticket is closed: before that, it is not. */
  @ParameterizedTest
  @MethodSource("io.txwatch.servers.TestServers#concurrentKinds")
  void aColumnThatIsReadIsNotGivenAnotherValue(ServerKind kind) throws Exception {
    for (String query :
        List.of(
            "SELECT id, state FROM ticket ORDER BY id",
            "SELECT state FROM ticket WHERE id = 2",
            "SELECT max(id) AS id, min(state) AS state FROM ticket",
            "SELECT CASE WHEN count(*) > 0 THEN 'closed' ELSE 'new' END AS answer FROM ticket"
                + " WHERE state = 'closed'",
            "SELECT t.state FROM ticket t JOIN ticket u ON u.id = t.id WHERE t.id = 2")) {
      for (String condition : List.of("", " AND state = 'new'")) {
        try (ObservedApplication desk = desk(kind)) {
          desk.run(assign(2, "closed", condition)).run(payIfAnyClosed(query));
          assertThat(desk.prove(one -> Set.copyOf(one.operations()).size() == 2))
              .as(query + condition)
              .isNotEmpty()
              .extracting(RaceProof::result)
              .doesNotContain(Result.CONFIRMED);
        }
      }
    }
  }

  @ParameterizedTest
  @MethodSource("io.txwatch.servers.TestServers#concurrentKinds")
  void aColumnHadWhatItsConditionCompares(ServerKind kind) throws Exception {
    try (ObservedApplication desk = desk(kind)) {
      desk.run(pay(1, 5)).run(raiseCredit(7));
      List<RaceProof> proofs = desk.prove(one -> Set.copyOf(one.operations()).size() == 2);
      assertThat(proofs)
          .as(proofs.toString())
          .extracting(RaceProof::result)
          .contains(Result.CONFIRMED);
    }
  }

  private static Work pay(int ticket, int amount) {
    return desk -> {
      int credit = desk.number("SELECT credit FROM customer WHERE id = ?", 7);
      desk.update("UPDATE ticket SET state = 'paid' WHERE id = ? AND state = 'new'", ticket);
      desk.update("UPDATE customer SET credit = ? WHERE id = ?", credit - amount, 7);
    };
  }

  private static Work raiseCredit(int amount) {
    return desk -> {
      int credit = desk.number("SELECT credit FROM customer WHERE id = ?", 7);
      desk.update("UPDATE customer SET credit = ? WHERE id = ?", credit + amount, 7);
    };
  }

  private static Work addFruit(String sequence, String name) {
    return shop -> {
      if (shop.query("SELECT id FROM fruit WHERE name = ?", name).isEmpty()) {
        int id = shop.number("SELECT nextval('" + sequence + "')");
        shop.update("INSERT INTO fruit (id, name) VALUES (?, ?)", id, name);
      }
    };
  }

  /** The application's sequence is not used, whether or not its schema is named. */
  @Test
  void numbersAreThoseOfSequencesOfItsOwn() throws Exception {
    for (String qualifier : List.of("", "public.")) {
      try (ObservedApplication shop =
          new ObservedApplication(
              ServerKind.POSTGRESQL,
              "CREATE SEQUENCE fruit_seq INCREMENT BY 50",
              "CREATE SEQUENCE crate_seq",
              "CREATE TABLE fruit (id INT PRIMARY KEY, name VARCHAR(20), crate INT NOT NULL"
                  + " DEFAULT 1000 + nextval('crate_seq'))")) {
        String sequence = qualifier + "fruit_seq";
        shop.run(addFruit(sequence, "Fig")).run(addFruit(sequence, "Kiwi"));
        assertThat(confirmed(shop)).isNotEmpty().containsOnly("CONFIRMED G2");
        assertThat(shop.number("SELECT last_value FROM fruit_seq")).isEqualTo(51);
        assertThat(shop.number("SELECT last_value FROM crate_seq")).isEqualTo(2);
      }
    }
  }

  private static ObservedApplication store(ServerKind kind) throws Exception {
    return new ObservedApplication(
        kind,
        "CREATE TABLE customer (id INT PRIMARY KEY, balance INT)",
        "CREATE TABLE waiting (district INT, id INT, customer INT, PRIMARY KEY (district, id))",
        "INSERT INTO customer VALUES (7, 100), (8, 100)",
        "INSERT INTO waiting VALUES "
            + IntStream.range(0, 1200)
                .mapToObj(i -> "(1, " + i + ", 7)")
                .collect(Collectors.joining(", ")));
  }

  private static Work payBack(int amount) {
    return store -> {
      int balance = store.number("SELECT balance FROM customer WHERE id = ?", 7);
      store.update("UPDATE customer SET balance = ? WHERE id = ?", balance - amount, 7);
    };
  }

  private static Work deliverOldest() {
    return store -> {
      List<String> oldest =
          store
              .query("SELECT id, customer FROM waiting WHERE district = ? ORDER BY id LIMIT 1", 1)
              .get(0);
      int id = Integer.parseInt(oldest.get(0));
      store.update("DELETE FROM waiting WHERE district = ? AND id = ?", 1, id);
      store.update(
          "UPDATE customer SET balance = balance + 1 WHERE id = ?",
          Integer.parseInt(oldest.get(1)));
    };
  }

  /** Of a long queue one row is taken: the ends of the queue are enough to show the race. */
  @ParameterizedTest
  @MethodSource("io.txwatch.servers.TestServers#concurrentKinds")
  void whatIsTakenFromALongQueueRaces(ServerKind kind) throws Exception {
    try (ObservedApplication store = store(kind)) {
      store.run(payBack(5)).run(deliverOldest()).run(payBack(6)).run(deliverOldest());
      List<RaceProof> proofs =
          store.prove(
              one ->
                  one.phenomenon() == Phenomenon.LOST_UPDATE
                      && Set.copyOf(one.operations()).size() == 2);
      assertThat(proofs)
          .extracting(RaceProof::result)
          .as(proofs.toString())
          .contains(Result.CONFIRMED);
      assertThat(proofs.get(0).assumptions())
          .anyMatch(one -> one.contains("the first and the last ones are copied"));
    }
  }

  /** A sum over all of its rows is another one on those that are copied. */
  @ParameterizedTest
  @MethodSource("io.txwatch.servers.TestServers#concurrentKinds")
  void aSumOverALongQueueIsNotCopied(ServerKind kind) throws Exception {
    Work count =
        store -> {
          int waiting =
              store.number(
                  "SELECT COUNT(*) AS customer FROM waiting WHERE district = ? AND id >= ?", 1, 0);
          int balance = store.number("SELECT balance FROM customer WHERE id = ?", 8);
          store.update("UPDATE customer SET balance = ? WHERE id = ?", balance + waiting, 8);
        };
    try (ObservedApplication store = store(kind)) {
      store.run(count).run(count);
      List<RaceProof> proofs = store.prove();
      assertThat(proofs).isNotEmpty();
      assertThat(proofs).extracting(RaceProof::result).containsOnly(Result.UNDECIDED);
      assertThat(proofs.get(0).reason()).contains("the first and the last ones are copied");
    }
  }

  /**
   * An UPDATE of all lines of an order, which already have the value, shows no race in any order.
   */
  @ParameterizedTest
  @MethodSource("io.txwatch.servers.TestServers#concurrentKinds")
  void rowsThatAlreadyHaveTheValueRefuteNothing(ServerKind kind) throws Exception {
    try (ObservedApplication store =
        new ObservedApplication(
            kind,
            "CREATE TABLE line (id INT PRIMARY KEY, parcel INT, sent INT)",
            "INSERT INTO line VALUES (1, 7, 0), (2, 7, 0), (3, 8, 0)")) {
      store.connection().setTransactionIsolation(Connection.TRANSACTION_READ_COMMITTED);
      String select = "SELECT id, sent FROM line WHERE parcel = ?";
      store.run(one -> one.update("UPDATE line SET sent = 1 WHERE parcel = ?", 7));
      store.run(
          one -> {
            one.query(select, 7);
            one.query(select, 7);
          });
      List<RaceProof> proofs = store.prove(one -> Set.copyOf(one.operations()).size() == 2);
      assertThat(proofs).isNotEmpty();
      assertThat(proofs).extracting(RaceProof::result).doesNotContain(Result.REFUTED);
    }
  }
}
