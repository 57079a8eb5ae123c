package io.txwatch.demo;

import io.txwatch.junit.InterleaveTest;
import io.txwatch.junit.Interleaving;
import io.txwatch.servers.ServerKind;
import io.txwatch.servers.TestServers;
import java.sql.SQLException;
import java.util.List;
import org.junit.jupiter.api.AfterEach;

/** Each service by two requests, as first written and corrected. Another test runs these. */
class RacesInEveryOrder {

  private static final String DBMS = "demo.dbms";

  private final PaymentGateway gateway = () -> {};
  private final ServiceDatabase database;

  RacesInEveryOrder() throws SQLException {
    ServerKind kind = ServerKind.valueOf(System.getProperty(DBMS, "H2"));
    database = new ServiceDatabase(TestServers.freshDatabase(kind), "", "");
  }

  /** Names the DBMS that the tests use next. */
  static void use(ServerKind kind) {
    System.setProperty(DBMS, kind.name());
  }

  @AfterEach
  void close() {
    database.close();
  }

  private BankService bank() throws SQLException {
    database.script(
        "CREATE TABLE account (id INTEGER PRIMARY KEY, owner VARCHAR(40) NOT NULL,"
            + " balance INTEGER NOT NULL)",
        "INSERT INTO account VALUES (1, 'Ada', 100), (2, 'Ben', 100), (3, 'Cleo', 100)");
    return new BankService(database, gateway);
  }

  private BookingService booking() throws SQLException {
    database.script(
        "CREATE TABLE seat (id INTEGER PRIMARY KEY, label VARCHAR(8) NOT NULL,"
            + " booked_by VARCHAR(40))",
        "INSERT INTO seat VALUES (1, '1A', NULL), (2, '1B', NULL)");
    return new BookingService(database, gateway);
  }

  private RosterService roster() throws SQLException {
    database.script(
        "CREATE TABLE doctor (id INTEGER PRIMARY KEY, name VARCHAR(40) NOT NULL,"
            + " shift_id INTEGER NOT NULL, on_call INTEGER NOT NULL)",
        "INSERT INTO doctor VALUES (1, 'Ada', 1, 1), (2, 'Ben', 1, 1), (3, 'Cleo', 2, 1)");
    return new RosterService(database, gateway);
  }

  @InterleaveTest
  void withdraw(Interleaving run) throws SQLException {
    BankService bank = bank();
    run.operationWithResult("withdraw 60", () -> bank.withdraw(1, 60));
    run.operationWithResult("withdraw 50", () -> bank.withdraw(1, 50));
  }

  @InterleaveTest
  void withdrawLocking(Interleaving run) throws SQLException {
    BankService bank = bank();
    run.operationWithResult("withdraw 60", () -> bank.withdrawLocking(1, 60));
    run.operationWithResult("withdraw 50", () -> bank.withdrawLocking(1, 50));
  }

  @InterleaveTest
  void book(Interleaving run) throws SQLException {
    BookingService booking = booking();
    run.operationWithResult("Ada", () -> booking.book(1, "Ada"));
    run.operationWithResult("Ben", () -> booking.book(1, "Ben"));
  }

  @InterleaveTest
  void bookAtomically(Interleaving run) throws SQLException {
    BookingService booking = booking();
    run.operationWithResult("Ada", () -> booking.bookAtomically(1, "Ada"));
    run.operationWithResult("Ben", () -> booking.bookAtomically(1, "Ben"));
  }

  @InterleaveTest
  void signOff(Interleaving run) throws SQLException {
    RosterService roster = roster();
    run.operationWithResult("Ada", () -> roster.signOff(1, 1));
    run.operationWithResult("Ben", () -> roster.signOff(1, 2));
  }

  @InterleaveTest
  void signOffSafely(Interleaving run) throws SQLException {
    RosterService roster = roster();
    run.operationWithResult("Ada", () -> roster.signOffSafely(1, 1));
    run.operationWithResult("Ben", () -> roster.signOffSafely(1, 2));
  }

  @InterleaveTest
  void total(Interleaving run) throws SQLException {
    BankService bank = bank();
    ReportService reports = new ReportService(database, gateway);
    run.operationWithResult("report", () -> reports.total(List.of(1, 2, 3)));
    run.operation("transfer", () -> bank.transfer(1, 3, 10));
  }

  @InterleaveTest
  void totalOfOneMoment(Interleaving run) throws SQLException {
    BankService bank = bank();
    ReportService reports = new ReportService(database, gateway);
    run.operationWithResult("report", () -> reports.totalOfOneMoment(List.of(1, 2, 3)));
    run.operation("transfer", () -> bank.transfer(1, 3, 10));
  }
}
