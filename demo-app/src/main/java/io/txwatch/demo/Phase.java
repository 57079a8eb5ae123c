package io.txwatch.demo;

import java.sql.SQLException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;

/**
 * One business scene: two customers at once, some rounds of it, and then what the business itself
 * can detect from its own books.
 */
enum Phase {
  /** Two withdrawals from one account. */
  LOST_UPDATE("lost-update") {
    @Override
    Check run(ServiceDatabase database, Clients clients, int rounds, boolean fixed)
        throws SQLException {
      database.script(
          "DROP TABLE IF EXISTS account",
          "CREATE TABLE account (id INTEGER PRIMARY KEY, owner VARCHAR(40) NOT NULL,"
              + " balance INTEGER NOT NULL)");
      database.insert(
          "INSERT INTO account (id, owner, balance) VALUES (?, ?, ?)",
          rows(rounds, i -> new Object[] {i, "customer " + i, 100}));
      BankService bank = new BankService(database, clients.gateway());
      int paidOut = 0;
      try (Counter customers = new Counter(clients)) {
        for (int i = 1; i <= rounds; i++) {
          int account = i;
          Callable<Boolean> withdrawal =
              () -> fixed ? bank.withdrawLocking(account, 10) : bank.withdraw(account, 10);
          paidOut += 10 * customers.serve(withdrawal, withdrawal);
        }
      }
      int left =
          database.list("SELECT balance FROM account", row -> row.getInt("balance")).stream()
              .mapToInt(Integer::intValue)
              .sum();
      int missing = 100 * rounds - left;
      return new Check(
          missing == paidOut, "paid out " + paidOut + ", taken off the accounts " + missing);
    }
  },

  /** Two customers for one seat. */
  DOUBLE_BOOKING("double-booking") {
    @Override
    Check run(ServiceDatabase database, Clients clients, int rounds, boolean fixed)
        throws SQLException {
      database.script(
          "DROP TABLE IF EXISTS seat",
          "CREATE TABLE seat (id INTEGER PRIMARY KEY, label VARCHAR(8) NOT NULL,"
              + " booked_by VARCHAR(40))");
      database.insert(
          "INSERT INTO seat (id, label) VALUES (?, ?)",
          rows(rounds, i -> new Object[] {i, "1" + (char) ('A' + i % 26)}));
      BookingService booking = new BookingService(database, clients.gateway());
      int soldTwice = 0;
      int sold = 0;
      try (Counter customers = new Counter(clients)) {
        for (int i = 1; i <= rounds; i++) {
          int seat = i;
          int tickets =
              customers.serve(
                  () -> book(booking, seat, "Ada", fixed), () -> book(booking, seat, "Ben", fixed));
          sold += tickets;
          soldTwice += tickets > 1 ? 1 : 0;
        }
      }
      long taken =
          database
              .list("SELECT booked_by FROM seat", row -> row.getString("booked_by") != null)
              .stream()
              .filter(isTaken -> isTaken)
              .count();
      return new Check(
          soldTwice == 0 && sold == taken,
          sold + " tickets issued for " + taken + " seats, " + soldTwice + " seats sold twice");
    }

    private boolean book(BookingService booking, int seat, String customer, boolean fixed)
        throws SQLException {
      return fixed ? booking.bookAtomically(seat, customer) : booking.book(seat, customer);
    }
  },

  /** Two doctors who both want to go home. */
  WRITE_SKEW("write-skew") {
    @Override
    Check run(ServiceDatabase database, Clients clients, int rounds, boolean fixed)
        throws SQLException {
      database.script(
          "DROP TABLE IF EXISTS doctor",
          "CREATE TABLE doctor (id INTEGER PRIMARY KEY, name VARCHAR(40) NOT NULL,"
              + " shift_id INTEGER NOT NULL, on_call INTEGER NOT NULL)");
      database.insert(
          "INSERT INTO doctor (id, name, shift_id, on_call) VALUES (?, ?, ?, 1)",
          rows(2 * rounds, i -> new Object[] {i, "doctor " + i, (i + 1) / 2}));
      RosterService roster = new RosterService(database, clients.gateway());
      try (Counter doctors = new Counter(clients)) {
        for (int i = 1; i <= rounds; i++) {
          int shift = i;
          doctors.serve(
              () -> signOff(roster, shift, 2 * shift - 1, fixed),
              () -> signOff(roster, shift, 2 * shift, fixed));
        }
      }
      long staffed =
          database
              .list(
                  "SELECT shift_id, on_call FROM doctor",
                  row -> row.getInt("on_call") == 1 ? row.getInt("shift_id") : 0)
              .stream()
              .filter(shift -> shift > 0)
              .distinct()
              .count();
      return new Check(
          staffed == rounds,
          (rounds - staffed) + " of " + rounds + " shifts left without a doctor");
    }

    private boolean signOff(RosterService roster, int shift, int doctor, boolean fixed)
        throws SQLException {
      return fixed ? roster.signOffSafely(shift, doctor) : roster.signOff(shift, doctor);
    }

    @Override
    int level(ServiceDatabase database, boolean fixed) {
      return fixed
          ? new RosterService(database, new BatchingGateway()).safeLevel()
          : database.defaultLevel();
    }
  },

  /** A transfer while a report adds up. */
  READ_SKEW("read-skew") {
    @Override
    Check run(ServiceDatabase database, Clients clients, int rounds, boolean fixed)
        throws SQLException {
      database.script(
          "DROP TABLE IF EXISTS account",
          "CREATE TABLE account (id INTEGER PRIMARY KEY, owner VARCHAR(40) NOT NULL,"
              + " balance INTEGER NOT NULL)");
      List<Integer> accounts = List.of(1, 2, 3);
      database.insert(
          "INSERT INTO account (id, owner, balance) VALUES (?, ?, ?)",
          rows(3, i -> new Object[] {i, "customer " + i, 1000}));
      PaymentGateway gateway = clients.gateway();
      BankService bank = new BankService(database, gateway);
      ReportService reports = new ReportService(database, gateway);
      int wrong = 0;
      try (Counter office = new Counter(clients)) {
        for (int i = 1; i <= rounds; i++) {
          Callable<Boolean> report =
              () -> 3000 == (fixed ? reports.totalOfOneMoment(accounts) : reports.total(accounts));
          Callable<Boolean> transfer =
              () -> {
                bank.transfer(1, 3, 10);
                return true;
              };
          wrong += 2 - office.serve(report, transfer);
        }
      }
      // All writes are done; the last writer is only known from the next read.
      int held = reports.totalOfOneMoment(accounts);
      return new Check(
          wrong == 0 && held == 3000,
          wrong
              + " of "
              + rounds
              + " reports do not add up to the "
              + held
              + " that the bank holds");
    }

    @Override
    int level(ServiceDatabase database, boolean fixed) {
      ReportService reports = new ReportService(database, new BatchingGateway());
      return fixed ? reports.snapshotLevel() : reports.statementSnapshotLevel();
    }
  };

  /**
   * What the business finds in its own books.
   *
   * @param holds true if its rule holds
   * @param summary the figures, in words
   */
  record Check(boolean holds, String summary) {}

  private final String id;

  Phase(String id) {
    this.id = id;
  }

  /** Creates the tables, runs the rounds and checks the books. */
  abstract Check run(ServiceDatabase database, Clients clients, int rounds, boolean fixed)
      throws SQLException;

  /** The level of the transactions that the phase is about. */
  int level(ServiceDatabase database, boolean fixed) {
    return database.defaultLevel();
  }

  String id() {
    return id;
  }

  static Optional<Phase> named(String id) {
    return Arrays.stream(values()).filter(phase -> phase.id.equals(id)).findFirst();
  }

  private interface Row {
    Object[] of(int i);
  }

  private static Object[][] rows(int count, Row row) {
    List<Object[]> rows = new ArrayList<>();
    for (int i = 1; i <= count; i++) {
      rows.add(row.of(i));
    }
    return rows.toArray(Object[][]::new);
  }

  /** Who sends the requests. */
  enum Clients {
    /** One client, which waits for the answer to a request before it sends the next one. */
    ONE,
    /** Two at the same time. */
    TWO;

    PaymentGateway gateway() {
      return this == ONE ? () -> {} : new BatchingGateway();
    }
  }

  /** Serves two requests: at the same time, if there are two clients. */
  private static final class Counter implements AutoCloseable {

    private final ExecutorService clerks;

    Counter(Clients clients) {
      clerks = Executors.newFixedThreadPool(clients == Clients.ONE ? 1 : 2);
    }

    /** The number of the two that succeeded. */
    int serve(Callable<Boolean> one, Callable<Boolean> other) throws SQLException {
      Future<Boolean> first = clerks.submit(one);
      Future<Boolean> second = clerks.submit(other);
      return outcome(first) + outcome(second);
    }

    private static int outcome(Future<Boolean> customer) throws SQLException {
      try {
        return customer.get() ? 1 : 0;
      } catch (ExecutionException e) {
        if (e.getCause() instanceof SQLException sql) {
          throw sql;
        }
        throw new IllegalStateException(e.getCause());
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
        throw new IllegalStateException("interrupted", e);
      }
    }

    @Override
    public void close() {
      clerks.shutdownNow();
    }
  }
}
