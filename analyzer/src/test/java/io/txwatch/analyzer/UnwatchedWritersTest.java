package io.txwatch.analyzer;

import static org.assertj.core.api.Assertions.assertThat;

import io.txwatch.anomaly.Anomaly;
import io.txwatch.dependency.Dependency;
import io.txwatch.guarantee.Judge;
import io.txwatch.history.Access;
import io.txwatch.history.Database;
import io.txwatch.history.Event;
import io.txwatch.history.GapReason;
import io.txwatch.history.IsolationLevel;
import io.txwatch.history.Outcome;
import io.txwatch.history.Product;
import io.txwatch.history.RowAccess;
import io.txwatch.history.RowShare;
import io.txwatch.history.StatementKind;
import io.txwatch.history.WriterList;
import io.txwatch.history.WriterToken;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.OptionalLong;
import java.util.Random;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.statistics.Statistics;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * Lost updates whose writer in the middle is not watched, on PostgreSQL. Transactions are written
 * as {@code id 300: r100 w200>300}: the id of the whole transaction, then reads of versions and
 * writes that replaced one, all of one row; {@code b} stands for an item of a batch.
 */
class UnwatchedWritersTest {

  private static final long SERVER = 1L << 63 | 77L << 32;

  @ParameterizedTest
  @CsvSource(
      delimiterString = "=>",
      textBlock =
          """
          id 300: r100 w200>300                    => lost to xid 200, not watched
          id 300: r100 r150 w200>300               => lost to xid 200, not watched
          id 16: r4294967000 w4294967200>16        => lost to xid 4294967200, not watched
          id 300: r100 w100>300                    => nothing
          id 300: r100 r200 w200>300               => nothing
          id 300: w200>300                         => nothing
          id 300: r100? w200>300                   => nothing
          id 300: r100 undo w200>300               => nothing
          id 300: r100 r150 undo w200>300          => nothing
          id 300: r90 undo r100 w200>300           => lost to xid 200, not watched
          id 300: r305 w200>300                    => nothing
          id 300: r100 w300>301                    => nothing
          id 300: r100 w310>301                    => nothing
          id 300: r100 gap w200>300                => nothing
          id 300: r100 w200>300 abort              => nothing
          id 300: repeatable r100 w200>300         => nothing
          id unknown: r100 w200>300                => nothing
          id 200: b; id 300: r100 w200>300         => lost to a watched one
          id 300: r100 w200>300; id 200: b         => lost to a watched one
          id 200: b; id unknown: r100 w200>300     => nothing
          id 200: b abort; id 300: r100 w200>300   => nothing
          id 200: b; id 300: repeatable r100 w200>300 => nothing
          id 200: b; id 300: r100 r200 w200>300    => nothing
          id 200: b; id 300: r300 w200>301         => nothing
          id 200: r100 w100>200; id 300: r100 w200>300   => lost to a watched one
          id 300: r100 w200>300; id 200: r100 w100>200   => lost to a watched one
          """)
  void lostUpdates(String history, String expected) {
    List<Event> events = new ArrayList<>();
    int number = 0;
    List<List<Event>> all = new ArrayList<>();
    for (String transaction : history.split(";")) {
      all.add(transaction(++number, transaction.strip()));
    }
    all.forEach(each -> events.addAll(each.subList(0, 2))); // all begin first
    all.forEach(each -> events.addAll(each.subList(2, each.size())));
    List<Anomaly> found = analyzed(events);
    String result =
        found.isEmpty()
            ? "nothing"
            : found.get(0).transactions().stream()
                .map(t -> t.session())
                .filter(name -> name.startsWith("xid"))
                .findFirst()
                .map(name -> "lost to " + name)
                .orElse("lost to a watched one");
    assertThat(found.stream().map(a -> a.phenomenon().name())).allMatch("LOST_UPDATE"::equals);
    assertThat(found.size()).isLessThanOrEqualTo(1);
    assertThat(result).isEqualTo(expected);
  }

  private static final String LOST = "id 300: r100 w200>300";

  /** A share without the row of the histories. */
  private static RowShare shareWithoutTheRow() {
    RowShare share = RowShare.ALL;
    while (share.contains("t", 1)) {
      share = share.smaller(1);
    }
    return share;
  }

  private static List<Event> withShed(int at, RowShare share, List<Event> events) {
    List<Event> changed = new ArrayList<>(events);
    changed.add(at, new Event.RowsShed(1, share, 0, 0));
    return changed;
  }

  /** A watched transaction may have omitted the write. */
  @Test
  void nothingIsConcludedOfRowsThatOverlappingTransactionsOmit() {
    List<Event> lost = transaction(1, LOST);
    RowShare without = shareWithoutTheRow();
    assertThat(analyzed(withShed(0, without.larger(), lost))).hasSize(1);
    for (int at = 0; at <= lost.size(); at++) {
      assertThat(analyzed(withShed(at, without, lost))).isEmpty();
    }
  }

  @Test
  void omissionsThatEndedBeforeTheTransactionBeganDoNotMatter() {
    List<Event> shedBefore = withShed(0, shareWithoutTheRow(), transaction(1, LOST));
    assertThat(analyzed(withShed(1, RowShare.ALL, shedBefore))).hasSize(1);
    for (int at = 3; at <= shedBefore.size(); at++) {
      assertThat(analyzed(withShed(at, RowShare.ALL, shedBefore))).isEmpty();
    }
  }

  /** Events of two processes may arrive in another order than they happened. */
  @Test
  void omissionsOfAnotherProcessMatterForGood() {
    List<Event> events = new ArrayList<>(transaction(1, LOST));
    long other = 1L << 32 | 1;
    events.add(0, new Event.RowsShed(other, shareWithoutTheRow(), 0, 0));
    events.add(1, new Event.RowsShed(other, RowShare.ALL, 0, 0));
    assertThat(analyzed(events)).isEmpty();
  }

  private static List<Anomaly> analyzed(List<Event> events) {
    List<Anomaly> found = new ArrayList<>();
    Analyzer analyzer = new Analyzer(Judge.DBMS, found::add);
    events.forEach(analyzer::accept);
    analyzer.close();
    return found;
  }

  private static List<Event> transaction(long session, String text) {
    List<Event> events = new ArrayList<>();
    IsolationLevel level =
        text.contains("repeatable")
            ? IsolationLevel.REPEATABLE_READ
            : IsolationLevel.READ_COMMITTED;
    events.add(new Event.SessionOpened(session, "s" + session, database()));
    events.add(new Event.TransactionBegan(session, session, level, 0));
    String id = text.substring(3, text.indexOf(':'));
    if (!id.equals("unknown")) {
      events.add(new Event.TransactionIdentified(session, session, SERVER | Long.parseLong(id)));
    }
    Outcome outcome = Outcome.COMMITTED;
    int statement = 0;
    for (String step : text.substring(text.indexOf(':') + 1).strip().split(" ")) {
      if (step.equals("gap")) {
        events.add(new Event.Gap(session, session, GapReason.SHAPE, "", 1));
      } else if (step.equals("undo")) {
        events.add(new Event.StatementsUndone(session, session, 1, statement));
      } else if (step.equals("b")) {
        statement++; // in a batch: nothing of it is observed
      } else if (step.equals("abort")) {
        outcome = Outcome.ABORTED;
      } else if (step.startsWith("r") && !step.equals("repeatable")) {
        String version = step.substring(1).replace("?", "");
        events.add(
            executed(
                session,
                ++statement,
                Access.READ,
                1,
                !step.endsWith("?"),
                Long.parseLong(version)));
      } else if (step.startsWith("w")) {
        String[] versions = step.substring(1).split(">");
        events.add(
            executed(
                session,
                ++statement,
                Access.UPDATE,
                1,
                true,
                Long.parseLong(versions[0]),
                Long.parseLong(versions[1])));
      }
    }
    events.add(new Event.TransactionEnded(session, session, outcome, 0, 0));
    return events;
  }

  private static Database database() {
    return new Database(new Product("PostgreSQL", "18.6"), Map.of());
  }

  private static Event executed(
      long transaction, int statement, Access access, int row, boolean certain, long... ids) {
    StringBuilder tokens = new StringBuilder();
    for (long id : ids) {
      tokens.append(WriterToken.of(SERVER | id, WriterToken.BY_DBMS));
    }
    RowAccess accessed =
        new RowAccess(access, "t", row, new WriterList(tokens.toString(), false), certain);
    return new Event.StatementExecuted(
        transaction,
        transaction,
        statement,
        access == Access.READ ? StatementKind.SELECT : StatementKind.UPDATE,
        "",
        "",
        List.of(accessed),
        true,
        null);
  }

  /**
   * Random transactions at READ COMMITTED on three rows. Some are not watched; those that are may
   * write in functions, which is not observed, and in savepoints, which have ids of their own and
   * may be undone. No update is lost to an id that is the transaction's own, or that was written
   * before its read.
   */
  @Property
  void nothingIsLostToOneself(@ForAll Random random) {
    Store store = new Store(random);
    for (int i = 0; i < 300; i++) {
      store.step();
    }
    List<Anomaly> found = analyzed(store.events);
    Statistics.collect(found.stream().anyMatch(UnwatchedWritersTest::isUnwatched));
    // About one in seven: of 200 draws, fewer than eight are as good as impossible.
    Statistics.coverage(checker -> checker.check(true).count(many -> many >= 8));
    for (Anomaly anomaly : found) {
      for (Dependency edge : anomaly.cycle()) {
        OptionalLong xid = xid(anomaly, edge.to());
        if (xid.isPresent()) {
          long owner = Objects.requireNonNull(store.owners.get(xid.getAsLong()));
          assertThat(owner).isNotEqualTo(edge.from());
          assertThat(store.committedAt.get(owner))
              .isGreaterThan(store.readAt.get(edge.from() + "." + edge.fromStatement()));
        }
      }
    }
  }

  /** The id of a transaction that is not watched; empty for others. */
  private static OptionalLong xid(Anomaly anomaly, long transaction) {
    return anomaly.transactions().stream()
        .filter(t -> t.id() == transaction && t.session().startsWith("xid"))
        .mapToLong(t -> Long.parseLong(t.session().replaceAll("\\D", "")))
        .findFirst();
  }

  private static boolean isUnwatched(Anomaly anomaly) {
    return anomaly.transactions().stream().anyMatch(t -> t.session().startsWith("xid"));
  }

  /** A database of three rows, and what is observed of it. */
  private static final class Store {
    private static final int ROWS = 3;

    private final Random random;
    private final List<Event> events = new ArrayList<>();
    private final List<Running> running = new ArrayList<>();
    private final long[] versions = {1, 1, 1};
    private final Running[] lockedBy = new Running[ROWS];
    private final Map<Long, Long> owners = new HashMap<>();
    private final Map<Long, Integer> committedAt = new HashMap<>();
    private final Map<String, Integer> readAt = new HashMap<>();
    private long nextId = 10;
    private long nextTransaction = 1;
    private int now;

    private Store(Random random) {
      this.random = random;
    }

    private static final class Running {
      final long number;
      final boolean watched;
      final Map<Integer, Long> written = new HashMap<>();
      long whole;
      boolean inSavepoint;
      long part;
      boolean identified;
      int statements;
      Map<Integer, Long> writtenBefore = Map.of();
      int statementsBefore;

      Running(long number, boolean watched) {
        this.number = number;
        this.watched = watched;
      }

      void savepoint() {
        writtenBefore = Map.copyOf(written);
        statementsBefore = statements;
      }
    }

    void step() {
      now++;
      if (running.size() < 3) {
        begin();
        return;
      }
      Running one = running.get(random.nextInt(running.size()));
      int row = random.nextInt(ROWS);
      switch (random.nextInt(9)) {
        case 0, 1, 2 -> read(one, row);
        case 3, 4 -> write(one, row, one.watched);
        case 5 -> write(one, row, false); // in a function
        case 6 -> {
          if (!one.inSavepoint) {
            one.savepoint();
          } else if (random.nextBoolean()) {
            rollBackToSavepoint(one);
          }
          one.inSavepoint = !one.inSavepoint;
          one.part = 0;
        }
        default -> end(one);
      }
    }

    private void begin() {
      Running one = new Running(nextTransaction++, random.nextInt(3) > 0);
      running.add(one);
      if (one.watched) {
        events.add(new Event.SessionOpened(one.number, "s" + one.number, database()));
        events.add(
            new Event.TransactionBegan(one.number, one.number, IsolationLevel.READ_COMMITTED, 0));
      }
    }

    private void read(Running one, int row) {
      if (one.watched) {
        long version = one.written.getOrDefault(row, versions[row]);
        events.add(executed(one.number, ++one.statements, Access.READ, row, true, version));
        readAt.put(one.number + "." + one.statements, now);
      }
    }

    private void write(Running one, int row, boolean observed) {
      if (lockedBy[row] != null && lockedBy[row] != one) {
        return;
      }
      lockedBy[row] = one;
      if (one.whole == 0) {
        one.whole = id(one);
      }
      if (one.inSavepoint && one.part == 0) {
        one.part = id(one);
      }
      long before = one.written.getOrDefault(row, versions[row]);
      long id = one.inSavepoint ? one.part : one.whole;
      one.written.put(row, id);
      if (observed) {
        if (!one.inSavepoint && !one.identified) {
          one.identified = true;
          events.add(new Event.TransactionIdentified(one.number, one.number, SERVER | id));
        }
        events.add(executed(one.number, ++one.statements, Access.UPDATE, row, true, before, id));
      }
    }

    private void rollBackToSavepoint(Running one) {
      one.written.clear();
      one.written.putAll(one.writtenBefore);
      for (int row = 0; row < ROWS; row++) {
        if (lockedBy[row] == one && !one.written.containsKey(row)) {
          lockedBy[row] = null;
        }
      }
      if (one.watched && one.statements > one.statementsBefore) {
        events.add(
            new Event.StatementsUndone(
                one.number, one.number, one.statementsBefore + 1, one.statements));
      }
    }

    private long id(Running one) {
      owners.put(nextId, one.number);
      return nextId++;
    }

    private void end(Running one) {
      running.remove(one);
      boolean commits = random.nextInt(4) > 0;
      for (int row = 0; row < ROWS; row++) {
        if (lockedBy[row] == one) {
          lockedBy[row] = null;
          versions[row] = commits ? one.written.get(row) : versions[row];
        }
      }
      committedAt.put(one.number, now);
      if (one.watched) {
        events.add(
            new Event.TransactionEnded(
                one.number, one.number, commits ? Outcome.COMMITTED : Outcome.ABORTED, 0, 0));
      }
    }
  }
}
