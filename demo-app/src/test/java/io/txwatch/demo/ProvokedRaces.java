package io.txwatch.demo;

import io.txwatch.servers.ServerKind;
import io.txwatch.servers.TestServers;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Random;
import java.util.concurrent.Callable;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;

/**
 * Prints the table of docs/measurements/provoke.md: in how many of 100 runs of two concurrent
 * requests each race of the demo happens, with {@code txwatch.provoke} off and on: of requests that
 * begin together, and of requests that begin up to 20 ms apart, either one first. No gateway
 * pauses. Before that, one client makes four requests.
 */
final class ProvokedRaces {

  private static final String PROVOKE = "txwatch.provoke";
  private static final int RUNS = 100;
  private static final int ALONE = 4;
  private static final int MAX_APART_MILLIS = 20;
  private static final int FIRST_BALANCE = 1_000;
  private static final List<ServerKind> KINDS =
      List.of(ServerKind.H2, ServerKind.POSTGRESQL, ServerKind.MARIADB);
  private static final PaymentGateway GATEWAY = () -> {};

  private ProvokedRaces() {}

  /** Two requests that race, for rows that no other run uses. */
  private interface Requests {
    Callable<Integer> first(int run);

    Callable<Integer> second(int run);

    /** True if the two, as they have answered, cannot have come one after the other. */
    boolean haveRaced(int run, int first, int second) throws SQLException;
  }

  /** A race of the demo. */
  private enum Race {
    LOST_UPDATE("lost update: withdraw, withdraw") {
      @Override
      Requests requests(ServiceDatabase database) throws SQLException {
        createAccounts(database);
        BankService bank = new BankService(database, GATEWAY);
        return new Requests() {
          @Override
          public Callable<Integer> first(int run) {
            return () -> bank.withdraw(3 * run, 60) ? 1 : 0;
          }

          @Override
          public Callable<Integer> second(int run) {
            return () -> bank.withdraw(3 * run, 50) ? 1 : 0;
          }

          @Override
          public boolean haveRaced(int run, int first, int second) throws SQLException {
            return number(database, "SELECT balance FROM account WHERE id = " + 3 * run)
                != FIRST_BALANCE - 60 * first - 50 * second;
          }
        };
      }
    },

    DOUBLE_BOOKING("double booking: book, book") {
      @Override
      Requests requests(ServiceDatabase database) throws SQLException {
        database.script(
            "CREATE TABLE seat (id INTEGER PRIMARY KEY, label VARCHAR(8) NOT NULL,"
                + " booked_by VARCHAR(40))");
        for (int i = 0; i <= RUNS + ALONE; i++) {
          database.insert("INSERT INTO seat (id, label) VALUES (?, 'A')", new Object[] {i});
        }
        BookingService booking = new BookingService(database, GATEWAY);
        return new Requests() {
          @Override
          public Callable<Integer> first(int run) {
            return () -> booking.book(run, "Ada") ? 1 : 0;
          }

          @Override
          public Callable<Integer> second(int run) {
            return () -> booking.book(run, "Ben") ? 1 : 0;
          }

          @Override
          public boolean haveRaced(int run, int first, int second) {
            return first + second > 1;
          }
        };
      }
    },

    WRITE_SKEW("write skew: signOff, signOff") {
      @Override
      Requests requests(ServiceDatabase database) throws SQLException {
        database.script(
            "CREATE TABLE doctor (id INTEGER PRIMARY KEY, name VARCHAR(40) NOT NULL,"
                + " shift_id INTEGER NOT NULL, on_call INTEGER NOT NULL)");
        for (int i = 0; i <= 2 * (RUNS + ALONE) + 1; i++) {
          database.insert(
              "INSERT INTO doctor (id, name, shift_id, on_call) VALUES (?, 'A', ?, 1)",
              new Object[] {i, i / 2});
        }
        RosterService roster = new RosterService(database, GATEWAY);
        return new Requests() {
          @Override
          public Callable<Integer> first(int run) {
            return () -> roster.signOff(run, 2 * run) ? 1 : 0;
          }

          @Override
          public Callable<Integer> second(int run) {
            return () -> roster.signOff(run, 2 * run + 1) ? 1 : 0;
          }

          @Override
          public boolean haveRaced(int run, int first, int second) {
            return first + second > 1;
          }
        };
      }
    },

    READ_SKEW("read skew: total, transfer") {
      @Override
      Requests requests(ServiceDatabase database) throws SQLException {
        createAccounts(database);
        BankService bank = new BankService(database, GATEWAY);
        ReportService reports = new ReportService(database, GATEWAY);
        return new Requests() {
          @Override
          public Callable<Integer> first(int run) {
            return () -> reports.total(List.of(3 * run, 3 * run + 1, 3 * run + 2));
          }

          @Override
          public Callable<Integer> second(int run) {
            return () -> {
              bank.transfer(3 * run, 3 * run + 2, 10);
              return 0;
            };
          }

          @Override
          public boolean haveRaced(int run, int first, int second) {
            return first != 3 * FIRST_BALANCE;
          }
        };
      }
    };

    private final String title;

    Race(String title) {
      this.title = title;
    }

    /** Creates its tables, with rows for all runs. */
    abstract Requests requests(ServiceDatabase database) throws SQLException;

    private static void createAccounts(ServiceDatabase database) throws SQLException {
      database.script(
          "CREATE TABLE account (id INTEGER PRIMARY KEY, owner VARCHAR(40) NOT NULL,"
              + " balance INTEGER NOT NULL)");
      for (int i = 0; i <= 3 * (RUNS + ALONE) + 2; i++) {
        database.insert(
            "INSERT INTO account (id, owner, balance) VALUES (?, 'A', ?)",
            new Object[] {i, FIRST_BALANCE});
      }
    }

    private static int number(ServiceDatabase database, String sql) throws SQLException {
      return database.list(sql, row -> row.getInt(1)).get(0);
    }
  }

  public static void main(String[] arguments) throws Exception {
    System.setProperty("txwatch.log", "none");
    List<String> lines = new ArrayList<>();
    List<int[]> counts = new ArrayList<>();
    for (ServerKind kind : KINDS) {
      for (Race race : Race.values()) {
        lines.add("| " + race.title + " | " + kind + " |");
        counts.add(new int[4]);
      }
    }
    // Once a gate is installed, it stays.
    for (int column : List.of(0, 2, 1, 3)) {
      System.setProperty(PROVOKE, column % 2 == 0 ? "off" : "on");
      int line = 0;
      for (ServerKind kind : KINDS) {
        for (Race race : Race.values()) {
          counts.get(line++)[column] = count(race, kind, column < 2 ? 0 : MAX_APART_MILLIS);
        }
      }
    }
    System.out.println(
        "| race | DBMS | together: raw | provoked | up to 20 ms apart: raw | provoked |\n"
            + "|---|---|---|---|---|---|");
    for (int i = 0; i < lines.size(); i++) {
      int[] count = counts.get(i);
      System.out.printf(
          Locale.ROOT,
          "%s %d %% | %d %% | %d %% | %d %% |%n",
          lines.get(i),
          count[0],
          count[1],
          count[2],
          count[3]);
    }
    System.exit(0);
  }

  private static int count(Race race, ServerKind kind, int maxApartMillis) throws Exception {
    String url = TestServers.freshDatabase(kind).replaceFirst("^jdbc:", "jdbc:txwatch:");
    ExecutorService clients = Executors.newFixedThreadPool(2);
    try (ServiceDatabase database = new ServiceDatabase(url, "", "")) {
      Requests requests = race.requests(database);
      for (int run = RUNS + 1; run <= RUNS + ALONE; run++) {
        Callable<Integer> first = run % 2 == 0 ? requests.first(run) : requests.second(run);
        clients.submit(first).get();
      }
      Thread.sleep(1_000); // the races are searched
      Random random = new Random(1);
      int raced = 0;
      for (int run = 1; run <= RUNS; run++) {
        CyclicBarrier start = new CyclicBarrier(2);
        int apart = random.nextInt(-maxApartMillis, maxApartMillis + 1);
        Future<Integer> first =
            clients.submit(after(start, Math.max(0, apart), requests.first(run)));
        Future<Integer> second =
            clients.submit(after(start, Math.max(0, -apart), requests.second(run)));
        if (requests.haveRaced(run, first.get(), second.get())) {
          raced++;
        } else if (isProvoked()) {
          System.err.printf("no race: %s, %s, %d ms apart, run %d%n", race, kind, apart, run);
        }
      }
      return raced;
    } finally {
      clients.shutdownNow();
    }
  }

  private static boolean isProvoked() {
    return System.getProperty(PROVOKE).equals("on");
  }

  private static Callable<Integer> after(
      CyclicBarrier start, int millis, Callable<Integer> request) {
    return () -> {
      start.await();
      Thread.sleep(millis);
      return request.call();
    };
  }
}
