package io.txwatch.demo;

import java.io.PrintStream;
import java.sql.SQLException;
import java.util.Optional;

/**
 * Plays one phase against a DBMS and prints what the business finds in its own books.
 *
 * <p>The last line on stdout is {@code transactions=N isolation=LEVEL}. Exit codes: 0 if the phase
 * was played, whether its rule held or not; 2 bad usage; 3 DBMS out of reach or an error of its.
 */
public final class DemoApp {

  private static final String USAGE =
      "usage: DemoApp --url URL [--user NAME] [--password WORD] --phase"
          + " lost-update|double-booking|write-skew|read-skew [--fixed] [--rounds N] [--one-client]\n"
          + "user and password may stand in the environment: DEMO_USER, DEMO_PASSWORD";

  private DemoApp() {}

  public static void main(String[] args) {
    System.exit(run(args, System.out, System.err));
  }

  static int run(String[] args, PrintStream out, PrintStream err) {
    String url = "";
    String user = System.getenv().getOrDefault("DEMO_USER", "");
    String password = System.getenv().getOrDefault("DEMO_PASSWORD", "");
    Optional<Phase> phase = Optional.empty();
    boolean fixed = false;
    Phase.Clients clients = Phase.Clients.TWO;
    int rounds = 10;
    try {
      for (int i = 0; i < args.length; i++) {
        switch (args[i]) {
          case "--fixed" -> fixed = true;
          case "--one-client" -> clients = Phase.Clients.ONE;
          case "--url" -> url = args[++i];
          case "--user" -> user = args[++i];
          case "--password" -> password = args[++i];
          case "--rounds" -> rounds = Integer.parseInt(args[++i]);
          case "--phase" -> phase = Phase.named(args[++i]);
          default -> throw new IllegalArgumentException(args[i]);
        }
      }
    } catch (IllegalArgumentException | ArrayIndexOutOfBoundsException e) {
      phase = Optional.empty();
    }
    if (url.isEmpty() || phase.isEmpty() || rounds < 1) {
      err.println(USAGE);
      return 2;
    }
    try (ServiceDatabase database = new ServiceDatabase(url, user, password)) {
      play(phase.get(), database, clients, rounds, fixed, out);
      return 0;
    } catch (SQLException e) {
      err.println("demo-app: " + e.getMessage());
      return 3;
    }
  }

  private static void play(
      Phase phase,
      ServiceDatabase database,
      Phase.Clients clients,
      int rounds,
      boolean fixed,
      PrintStream out)
      throws SQLException {
    String level = ServiceDatabase.levelName(phase.level(database, fixed));
    out.printf(
        "%s, %s: %d rounds on %s at %s%n",
        phase.id(),
        fixed ? "corrected" : "as first written",
        rounds,
        database.displayName(),
        level);
    Phase.Check check = phase.run(database, clients, rounds, fixed);
    out.printf("own books: %s: %s%n", check.holds() ? "in order" : "BROKEN", check.summary());
    if (database.retried() > 0) {
      out.printf("run again: %d transactions that the DBMS gave up%n", database.retried());
    }
    if (database.isSqlite() && !fixed && check.holds()) {
      out.println(
          "note: SQLite lets one transaction write at a time and refuses to let one write that"
              + " read something older: the race is there in the code, but cannot do harm here.");
    }
    if (database.isHsqldb() && fixed && !check.holds()) {
      out.println(
          "note: with hsqldb.tx=mvcc HSQLDB locks nothing for SELECT … FOR UPDATE, so this"
              + " correction needs hsqldb.tx=locks.");
    }
    out.printf("transactions=%d isolation=%s%n", database.committed(), level);
  }
}
