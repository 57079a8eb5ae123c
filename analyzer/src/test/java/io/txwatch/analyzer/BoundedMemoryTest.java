package io.txwatch.analyzer;

import static org.assertj.core.api.Assertions.assertThat;

import io.txwatch.anomaly.Anomaly;
import io.txwatch.anomaly.Phenomenon;
import io.txwatch.guarantee.Judge;
import io.txwatch.history.Access;
import io.txwatch.history.Event;
import io.txwatch.history.GapReason;
import io.txwatch.history.IsolationLevel;
import io.txwatch.history.Outcome;
import io.txwatch.history.RowAccess;
import io.txwatch.history.StatementKind;
import io.txwatch.history.VersionSet;
import io.txwatch.history.WriterList;
import io.txwatch.history.WriterToken;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.FutureTask;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * Whatever an application does without end, the analyzer takes no more memory than it was given:
 * the live heap is measured, not what the analyzer believes. An anomaly that comes afterwards is
 * still found.
 */
class BoundedMemoryTest {

  private static final long MEMORY = 4 << 20;

  /** What the measurement itself is off by, and what does not depend on the memory given. */
  private static final long SLACK = 1 << 20;

  /** Something that an application does again and again. */
  private interface Habit {
    void once(History history, int i);
  }

  /** What grows, and what the analyzer must let go of. */
  enum Growth {
    IDLE_TRANSACTION(
        40_000,
        (h, i) -> {
          if (i == 0) {
            h.begin(1);
            h.read(1, "t", 1);
          }
          h.begin(2);
          h.write(2, "t", 2);
          h.end(2, Outcome.COMMITTED);
        }),
    IDLE_TRANSACTION_AND_MANY_ROWS(
        20_000,
        (h, i) -> {
          if (i == 0) {
            h.begin(1);
            h.read(1, "t", 1);
          }
          h.begin(2);
          h.read(2, "t", i);
          h.write(2, "t", i);
          h.end(2, Outcome.COMMITTED);
        }),
    TRANSACTION_THAT_INSERTS(100_000, (h, i) -> h.in(1, () -> h.write(1, "t", i))),
    TRANSACTION_THAT_READS(100_000, (h, i) -> h.in(1, () -> h.read(1, "t", i))),
    TRANSACTION_THAT_WRITES_ONE_ROW(60_000, (h, i) -> h.in(1, () -> h.write(1, "t", 1))),
    TRANSACTION_THAT_READS_ONE_ROW(100_000, (h, i) -> h.in(1, () -> h.read(1, "t", 1))),
    TRANSACTION_THAT_TOUCHES_NOTHING(
        100_000, (h, i) -> h.in(1, () -> h.statement(1, "SELECT 1", List.of()))),
    TEXTS_OF_THEIR_OWN(
        10_000, (h, i) -> h.in(1, () -> h.statement(1, i + "SELECT 1".repeat(100), List.of()))),
    KEYS_OF_ONE_TRANSACTION(
        100_000,
        (h, i) ->
            h.in(
                1,
                () ->
                    h.statement(
                        1,
                        "UPDATE",
                        List.of(new RowAccess(Access.TARGET, "t", i, WriterList.ofColumn("")))))),
    SAVEPOINTS(100_000, (h, i) -> h.in(1, () -> h.undone(1))),
    STATEMENTS_OF_MANY_ROWS(
        6,
        (h, i) -> {
          h.begin(1);
          h.readAll(1, "t", 1000 * i, 60_000);
          h.end(1, Outcome.COMMITTED);
        }),
    TRANSACTIONS_THAT_NEVER_END(
        20_000,
        (h, i) -> {
          h.begin(i + 1);
          h.write(i + 1, "t", i % 100);
        }),
    OUTCOMES_THAT_NOBODY_KNOWS(
        20_000,
        (h, i) -> {
          h.begin(1);
          h.read(1, "t", 1);
          h.write(1, "t", i);
          h.end(1, Outcome.UNKNOWN);
        }),
    OUTCOMES_THAT_NOBODY_KNOWS_BESIDE_AN_IDLE_TRANSACTION(
        20_000,
        (h, i) -> {
          if (i == 0) {
            h.begin(1);
            h.read(1, "t", 1);
          }
          h.begin(2);
          h.write(2, "t", 1);
          h.end(2, Outcome.UNKNOWN);
        }),
    WRITERS_THAT_ARE_ONLY_NAMED(
        20_000,
        (h, i) -> {
          if (i == 0) {
            h.begin(1);
            h.read(1, "t", 1);
          }
          h.begin(2);
          h.readWrittenByOthers(2, "t", i);
          h.end(2, Outcome.COMMITTED);
        }),
    SESSIONS_THAT_ARE_NEVER_CLOSED(40_000, (h, i) -> h.open(100 + i)),
    SESSIONS_THAT_WERE_NEVER_OPENED(
        40_000,
        (h, i) -> {
          h.silentlyOpen(100 + i);
          h.begin(100 + i);
          h.end(100 + i, Outcome.COMMITTED);
        }),
    TABLES(
        20_000,
        (h, i) -> {
          h.begin(1);
          h.write(1, "t" + i, 1);
          h.end(1, Outcome.COMMITTED);
        }),
    ROWS_THAT_CONTRADICT_THEMSELVES(
        40_000,
        (h, i) -> {
          h.begin(1);
          h.readContradiction(1, "t", i);
          h.end(1, Outcome.COMMITTED);
        }),
    PREDICATES_OF_AN_IDLE_TRANSACTION(
        20_000,
        (h, i) -> {
          if (i == 0) {
            h.begin(1);
            h.readByPredicate(1, "t", 0, 10);
          }
          h.begin(2);
          h.readByPredicate(2, "t", i, 10);
          h.write(2, "t", i);
          h.end(2, Outcome.COMMITTED);
        }),
    PREDICATES_OF_ONE_TRANSACTION(
        20_000, (h, i) -> h.in(1, () -> h.readByPredicate(1, "t", i, 20))),
    READERS_OF_A_ROW_THAT_IS_WRITTEN(
        20_000,
        (h, i) -> {
          if (i == 0) {
            h.begin(1);
            h.read(1, "t", 1);
          }
          h.begin(2);
          h.read(2, "t", 1);
          if (i % 100 == 0) {
            h.write(2, "t", 1);
          }
          h.end(2, Outcome.COMMITTED);
        }),
    LOST_UPDATES(
        20_000,
        (h, i) -> {
          h.begin(1);
          h.begin(2);
          h.read(1, "t", 1);
          h.write(2, "t", 1);
          h.write(1, "t", 1);
          h.end(2, Outcome.COMMITTED);
          h.end(1, Outcome.COMMITTED);
        }),
    SUSPICIONS(
        5_000,
        (h, i) -> {
          long session = 10 + i % 5_000;
          h.begin(session);
          h.read(session, "t", 1);
          h.write(2 + i % 2, "t", 1);
          h.statement(session, i + "SELECT 1".repeat(100), List.of());
          h.write(session, "t", 1);
        }),
    GAPS(
        100_000,
        (h, i) -> h.out.accept(new Event.Gap(1_000_000 + i, 0, GapReason.SHAPE, "SELECT", 1)));

    private final int times;
    private final Habit habit;

    Growth(int times, Habit habit) {
      this.times = times;
      this.habit = habit;
    }
  }

  /** The events of sessions on the rows of one database. */
  private static final class History {

    private static final int PLACES = 1 << 16;

    private final Consumer<Event> out;
    private final Map<Long, long[]> open = new HashMap<>();
    private final Map<Long, Boolean> opened = new HashMap<>();
    private final @Nullable String[] lists = new @Nullable String[PLACES];
    private long last;

    History(Consumer<Event> out) {
      this.out = out;
    }

    void silentlyOpen(long session) {
      opened.put(session, true);
    }

    void open(long session) {
      out.accept(new Event.SessionOpened(session, "s" + session, Notation.POSTGRESQL));
    }

    void begin(long session) {
      if (opened.put(session, true) == null) {
        open(session);
      }
      open.put(session, new long[] {++last, 0});
      out.accept(new Event.TransactionBegan(session, last, IsolationLevel.READ_COMMITTED, 0));
    }

    /** Does it in one transaction that never ends. */
    void in(long session, Runnable what) {
      if (!open.containsKey(session)) {
        begin(session);
      }
      what.run();
    }

    void statement(long session, String sql, List<RowAccess> rows) {
      statement(session, sql, rows, List.of());
    }

    private void statement(
        long session, String sql, List<RowAccess> rows, List<VersionSet> versionSets) {
      if (!open.containsKey(session)) {
        begin(session);
      }
      long[] transaction = Objects.requireNonNull(open.get(session));
      out.accept(
          new Event.StatementExecuted(
              session,
              transaction[0],
              (int) ++transaction[1],
              sql.startsWith("UPDATE") ? StatementKind.UPDATE : StatementKind.SELECT,
              sql,
              "Shop.java:1",
              rows,
              true,
              null,
              versionSets));
    }

    private int place(String table, long row) {
      return Math.floorMod(table.hashCode() * 31 + (int) row, PLACES);
    }

    private WriterList list(String table, long row) {
      String list = lists[place(table, row)];
      return WriterList.ofColumn(list == null ? "" : list);
    }

    void read(long session, String table, long row) {
      statement(
          session, "SELECT", List.of(new RowAccess(Access.READ, table, row, list(table, row))));
    }

    void readAll(long session, String table, int from, int rows) {
      List<RowAccess> all = new ArrayList<>();
      for (int row = from; row < from + rows; row++) {
        all.add(new RowAccess(Access.READ, table, row, WriterList.ofColumn("")));
      }
      statement(session, "SELECT", all);
    }

    void readByPredicate(long session, String table, int from, int rows) {
      List<RowAccess> all = new ArrayList<>();
      long[] ids = new long[rows];
      StringBuilder writers = new StringBuilder();
      for (int i = 0; i < rows; i++) {
        ids[i] = from + i;
        WriterList list = list(table, from + i);
        all.add(new RowAccess(Access.READ, table, from + i, list));
        int last = list.size() - 1;
        writers.append(
            last < 0
                ? WriterToken.of(0, 0)
                : WriterToken.of(list.transaction(last), list.statement(last)));
      }
      statement(
          session, "SELECT", all, List.of(new VersionSet(table, 7, ids, writers.toString(), true)));
    }

    void write(long session, String table, long row) {
      if (!open.containsKey(session)) {
        begin(session);
      }
      long[] transaction = Objects.requireNonNull(open.get(session));
      String before = lists[place(table, row)];
      String list =
          (before == null ? "" : before)
              + WriterToken.of(
                  transaction[0],
                  (int) Math.min(transaction[1] + 1, WriterToken.MAX_STATEMENT - 1));
      lists[place(table, row)] =
          list.substring(Math.max(0, list.length() - WriterList.WINDOW_LENGTH));
      statement(
          session, "UPDATE", List.of(new RowAccess(Access.UPDATE, table, row, list(table, row))));
    }

    void readWrittenByOthers(long session, String table, int i) {
      String list = "";
      for (int k = 0; k < 4; k++) {
        list += WriterToken.of((5L << 32) + 10L * i + k, 1);
      }
      statement(
          session,
          "SELECT",
          List.of(new RowAccess(Access.READ, table, i % 1000, WriterList.ofColumn(list))));
    }

    void readContradiction(long session, String table, int row) {
      String one = WriterToken.of((6L << 32) + 1, 1);
      String two = WriterToken.of((6L << 32) + 2, 1);
      String three = WriterToken.of((6L << 32) + 3, 1);
      statement(
          session,
          "SELECT",
          List.of(
              new RowAccess(Access.READ, table, row, WriterList.ofColumn(one + three)),
              new RowAccess(Access.READ, table, row, WriterList.ofColumn(two + three))));
    }

    void undone(long session) {
      statement(session, "SELECT 1", List.of());
      long[] transaction = Objects.requireNonNull(open.get(session));
      out.accept(
          new Event.StatementsUndone(
              session, transaction[0], (int) transaction[1], (int) transaction[1]));
    }

    void end(long session, Outcome outcome) {
      long[] transaction = Objects.requireNonNull(open.remove(session));
      out.accept(new Event.TransactionEnded(session, transaction[0], outcome, 0));
    }

    /** What the simulated database keeps is not the analyzer's. */
    void letGo() {
      open.clear();
      opened.clear();
      Arrays.fill(lists, null);
    }

    /** T2 writes what T1 has read and then overwrites. */
    void loseAnUpdate() {
      long one = 1L << 40;
      long other = one + 1;
      begin(one);
      begin(other);
      read(one, "account", 1);
      write(other, "account", 1);
      end(other, Outcome.COMMITTED);
      write(one, "account", 1);
      end(one, Outcome.COMMITTED);
    }
  }

  private static long liveHeap() {
    long least = Long.MAX_VALUE;
    for (int i = 0; i < 3; i++) {
      System.gc();
      least =
          Math.min(least, Runtime.getRuntime().totalMemory() - Runtime.getRuntime().freeMemory());
    }
    return least;
  }

  @ParameterizedTest
  @EnumSource
  void memoryStaysWithinTheBoundWhateverGrows(Growth growth) throws Exception {
    // In a thread of its own: a stack that was used before may still refer to another analyzer.
    FutureTask<Long> kept = new FutureTask<>(() -> bytesKept(growth));
    new Thread(kept).start();
    assertThat(kept.get()).as("bytes kept").isLessThan(MEMORY + SLACK);
  }

  private static long bytesKept(Growth growth) {
    long before = liveHeap();
    try (Analyzer analyzer = new Analyzer(Judge.DBMS, anomaly -> {}, MEMORY)) {
      History history = new History(analyzer::accept);
      for (int i = 0; i < growth.times; i++) {
        growth.habit.once(history, i);
        assertThat(analyzer.bytes()).isLessThanOrEqualTo(MEMORY);
        if (i % 1000 == 0) {
          analyzer.suspect();
        }
      }
      history.letGo();
      return liveHeap() - before;
    }
  }

  @ParameterizedTest
  @EnumSource
  void laterAnomaliesAreStillFound(Growth growth) {
    List<Anomaly> found = new ArrayList<>();
    long[] all = new long[1];
    try (Analyzer analyzer =
        new Analyzer(
            Judge.DBMS,
            anomaly -> {
              all[0]++;
              if (anomaly.cycle().stream().anyMatch(edge -> edge.table().equals("account"))) {
                found.add(anomaly);
              }
            },
            MEMORY / 4)) {
      History history = new History(analyzer::accept);
      for (int i = 0; i < growth.times / 4; i++) {
        growth.habit.once(history, i);
      }
      history.loseAnUpdate();
    }
    assertThat(found).extracting(Anomaly::phenomenon).containsExactly(Phenomenon.LOST_UPDATE);
  }

  @Test
  void onlyTheIdleTransactionIsAbandoned() {
    List<Anomaly> found = new ArrayList<>();
    try (Analyzer analyzer = new Analyzer(Judge.DBMS, found::add, MEMORY)) {
      History history = new History(analyzer::accept);
      for (int i = 0; i < Growth.IDLE_TRANSACTION.times; i++) {
        Growth.IDLE_TRANSACTION.habit.once(history, i);
        if (i % 100 == 0) {
          history.loseAnUpdate();
        }
      }
      assertThat(found).hasSize(Growth.IDLE_TRANSACTION.times / 100);
      assertThat(analyzer.coverage().gaps()).isEqualTo(Map.of(GapReason.FORGOTTEN, 1L));
    }
  }
}
