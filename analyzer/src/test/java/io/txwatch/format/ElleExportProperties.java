package io.txwatch.format;

import static org.assertj.core.api.Assertions.assertThat;

import io.txwatch.analyzer.Analyzer;
import io.txwatch.analyzer.Notation;
import io.txwatch.anomaly.Anomaly;
import io.txwatch.anomaly.CycleClass;
import io.txwatch.anomaly.Phenomenon;
import io.txwatch.dependency.ColumnReference;
import io.txwatch.dependency.IdsByDbms;
import io.txwatch.dependency.Simulation;
import io.txwatch.dependency.Simulation.Mode;
import io.txwatch.guarantee.Judge;
import io.txwatch.history.Access;
import io.txwatch.history.Database;
import io.txwatch.history.Event;
import io.txwatch.history.IsolationLevel;
import io.txwatch.history.Outcome;
import io.txwatch.history.Product;
import io.txwatch.history.RowAccess;
import io.txwatch.history.StatementKind;
import io.txwatch.history.WriterList;
import io.txwatch.history.WriterToken;
import java.io.IOException;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Function;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** What is exported and checked again shows what the history itself shows. */
class ElleExportProperties {

  /** The id of a writer before the history. */
  private static final long LOADER = 5;

  /** Phenomena of two transactions, and classes of cycles. */
  private static final List<String> WORST_FIRST =
      List.of(
          "G0",
          "G1C",
          "DIRTY_WRITE",
          "CIRCULAR_INFORMATION_FLOW",
          "LOST_UPDATE",
          "READ_WRITE_SKEW",
          "NON_REPEATABLE_READ",
          "PHANTOM",
          "READ_SKEW",
          "WRITE_SKEW",
          "G_SINGLE",
          "G2_ITEM",
          "G2");

  @Property
  void roundTripPreservesTheAnomalies(
      @ForAll Mode mode, @ForAll long seed, @ForAll @IntRange(min = 2, max = 12) int transactions)
      throws IOException {
    if (mode == Mode.BROKEN) {
      return; // contradictory histories have several valid reports
    }
    assertSameAfterTheRoundTrip(Simulation.run(mode, new Random(seed), 4, transactions, 3, true));
  }

  /** As {@link #roundTripPreservesTheAnomalies}, with versions named by ids of the DBMS. */
  @Property
  void roundTripPreservesTheAnomaliesWithIdsOfTheDbms(
      @ForAll Mode mode, @ForAll long seed, @ForAll @IntRange(min = 2, max = 12) int transactions)
      throws IOException {
    if (mode == Mode.BROKEN) {
      return;
    }
    assertSameAfterTheRoundTrip(
        IdsByDbms.of(Simulation.run(mode, new Random(seed), 4, transactions, 3, true)));
  }

  /**
   * As {@link #roundTripPreservesTheAnomalies}, with the columns that each statement used. The
   * classes of cycles are compared: over two columns of a row, which are two keys, some have
   * another name than over one row. Dirty reads by columns are not compared.
   */
  @Property
  void roundTripPreservesTheAnomaliesOfColumns(
      @ForAll Mode mode,
      @ForAll boolean idsByDbms,
      @ForAll long seed,
      @ForAll @IntRange(min = 2, max = 12) int transactions)
      throws IOException {
    if (mode == Mode.BROKEN || mode == Mode.READ_UNCOMMITTED) {
      return; // without dirty reads
    }
    Random random = new Random(seed);
    List<Event> history =
        ColumnReference.withColumns(Simulation.run(mode, random, 4, transactions, 3, true), random);
    assertSameAfterTheRoundTrip(
        idsByDbms ? IdsByDbms.of(history) : history, ElleExportProperties::className);
  }

  /** Who uses other columns of a row does not depend on each other. */
  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "r1(x0)[tax] w2(x0,y0)[ytd<ytd] c2 w1(y2)[next<next] c1 |",
        "r1(x0)[tax] w2(x0,y0)[tax<tax] c2 w1(y2)[tax<tax] c1 | READ_WRITE_SKEW",
        "r1(x0)[a] w2(x0)[a] c2 w1(x2)[b] c1 |",
        "r1(x0)[a] w2(x0)[a] c2 w1(x2)[a] c1 | LOST_UPDATE",
        "r1(x0)[a] w2(x0)[a] c2 w1(x2)[b<a] c1 | NON_REPEATABLE_READ",
        "r1(x0)[b] r2(y0)[b] w2(x0)[a] w1(y0)[a] c1 c2 |",
        "r1(x0)[a] r2(y0)[b] w2(x0)[a] w1(y0)[b] c1 c2 | WRITE_SKEW",
        "w1(x0)[a] r2(x1)[b] c2 a1 |",
        "w1(x0)[a] r2(x1)[a] c2 a1 | ABORTED_READ",
        "w1(x0)[a] w1(x1)[b] r2(x1.1)[a] c1 c2 |",
        "r1(x0)[] d2(x0)[] w2(y0)[a] c2 w1(y2)[a] c1 | READ_WRITE_SKEW",
        "r1(x0)[a] w2(x0)[a] c2 r1(x2)[b] c1 |",
        "r1(x0)[] w2(x0) c2 r1(x2)[b] c1 | NON_REPEATABLE_READ",
      })
  void exportDistinguishesColumns(String line, @Nullable String phenomenon) throws IOException {
    List<Event> history = Notation.events(line);
    Set<String> expected = phenomenon == null ? Set.of() : Set.of(phenomenon);
    assertThat(names(found(history))).isEqualTo(expected);
    assertThat(names(exported(history))).as(edn(history)).isEqualTo(expected);
  }

  /** An id of the DBMS stands for all writes of its transaction to a row, a deletion included. */
  @Test
  void deletionIsNoVersionOfItsOwnAfterAWriteThatTheDbmsNamed() throws IOException {
    List<Event> history = twoTransactions();
    history.add(byDbms(2, 2, 1, Access.UPDATE, LOADER, 20));
    history.add(byDbms(1, 1, 1, Access.READ, 20));
    history.add(byDbms(2, 2, 2, Access.DELETE, 20));
    history.add(new Event.TransactionEnded(2, 2, Outcome.COMMITTED, 0));
    history.add(new Event.TransactionEnded(1, 1, Outcome.COMMITTED, 0));
    assertThat(names(found(history))).isEmpty();
    assertThat(names(exported(history))).isEmpty();
  }

  /** Of the columns that only the deletion wrote, it is the later write. */
  @Test
  void deletionIsALaterWriteOfTheOtherColumns() throws IOException {
    List<Event> history = twoTransactions();
    history.add(byDbms("t written=c", 2, 2, 1, Access.UPDATE, LOADER, 20));
    history.add(byDbms("t read=a,c", 1, 1, 1, Access.READ, 20));
    history.add(byDbms("", 2, 2, 2, Access.DELETE, 20));
    history.add(new Event.TransactionEnded(2, 2, Outcome.COMMITTED, 0));
    history.add(new Event.TransactionEnded(1, 1, Outcome.COMMITTED, 0));
    Set<String> found = gist(found(history), ElleExportProperties::className);
    assertThat(found).contains("G_SINGLE");
    assertThat(gist(exported(history), ElleExportProperties::className))
        .as(edn(history))
        .isEqualTo(found);
  }

  /** As before, but a savepoint took the deletion back: it vanished, and the write did not. */
  @Test
  void deletionThatWasUndoneVanishesAlone() throws IOException {
    List<Event> history = twoTransactions();
    history.add(byDbms(2, 2, 1, Access.UPDATE, LOADER, 20));
    history.add(byDbms(2, 2, 2, Access.DELETE, 20));
    history.add(new Event.StatementsUndone(2, 2, 2, 2));
    history.add(new Event.TransactionEnded(2, 2, Outcome.COMMITTED, 0));
    history.add(byDbms(1, 1, 1, Access.READ, 20));
    history.add(new Event.TransactionEnded(1, 1, Outcome.COMMITTED, 0));
    assertThat(edn(history)).contains(":type :fail").contains("[:r 0 [1 2]]");
    assertThat(names(found(history))).isEmpty();
    assertThat(names(exported(history))).isEmpty();
  }

  /** A version of a writer that nobody knows, read in between, hides no lost update. */
  @Test
  void readOfAnUnknownWritersVersionHidesNoLostUpdate() throws IOException {
    List<Event> history = twoTransactions();
    history.add(byDbms(1, 1, 1, Access.READ, LOADER));
    history.add(byDbms(2, 2, 1, Access.UPDATE, LOADER, 20));
    history.add(new Event.TransactionEnded(2, 2, Outcome.COMMITTED, 0));
    history.add(byDbms(1, 1, 2, Access.READ, 30));
    history.add(byDbms(1, 1, 3, Access.UPDATE, 20, 10));
    history.add(new Event.TransactionEnded(1, 1, Outcome.COMMITTED, 0));
    assertThat(names(found(history))).containsExactly("LOST_UPDATE");
    assertThat(names(exported(history))).containsExactly("LOST_UPDATE");
  }

  /** A writer that was not observed made the first version, and hides no read of an UPDATE. */
  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void updateReadsAColumnThatItDoesNotWrite(boolean wroteOthers) throws IOException {
    List<Event> history = twoTransactions();
    if (wroteOthers) {
      history.add(byDbms("t read=c", 1, 1, 1, Access.READ, LOADER));
      history.add(byDbms("t written=c", 2, 2, 1, Access.UPDATE, LOADER, 20));
      history.add(new Event.TransactionEnded(2, 2, Outcome.COMMITTED, 0));
      history.add(byDbms("t read=c written=a", 1, 1, 2, Access.UPDATE, 20, 10));
      history.add(new Event.TransactionEnded(1, 1, Outcome.COMMITTED, 0));
    } else {
      history.add(byDbms("t read=c", 2, 2, 1, Access.READ, LOADER));
      history.add(byDbms("t read=a written=c", 1, 1, 1, Access.UPDATE, LOADER, 10));
      history.add(new Event.TransactionEnded(1, 1, Outcome.COMMITTED, 0));
      history.add(byDbms("t written=a", 2, 2, 2, Access.UPDATE, 10, 20));
      history.add(new Event.TransactionEnded(2, 2, Outcome.COMMITTED, 0));
    }
    Set<String> found = gist(found(history), ElleExportProperties::className);
    assertThat(found).contains(wroteOthers ? "G_SINGLE" : "G2_ITEM");
    assertThat(gist(exported(history), ElleExportProperties::className))
        .as(edn(history))
        .isEqualTo(found);
  }

  /** The same below a write of a transaction whose end is not known. */
  @Test
  void updateReadsAColumnAboveAWriteOfUnknownEnd() throws IOException {
    Random random = new Random(7354);
    List<Event> history =
        ColumnReference.withColumns(
            Simulation.run(Mode.READ_COMMITTED, random, 4, 12, 3, true), random);
    assertThat(found(history)).isNotEmpty();
    assertSameAfterTheRoundTrip(history, ElleExportProperties::className);
  }

  /**
   * A version of an UPDATE whose rows were not seen has the columns of that UPDATE, and what it
   * read of its transaction's own version says no more; of several such UPDATEs, their common ones.
   */
  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "written=a | | c | false",
        "written=a | | a | true",
        "written=a | | a,c | true",
        "written=a | written=a | c | false",
        "written=a | written=a | a | true",
        "written=a | written=b,c | a,b,c | false",
        "written=a,b | written=b,c | a,c | false",
        "written=a,b | written=b,c | b | true",
        "written=a | read=c | c | false",
        "written=a | read=c | a | true",
        "written=a | read=a,b,c then written=a | c | false",
        "written=a | read=a,b,c then written=a | a | true",
      })
  void versionOfAnUnseenUpdateHasItsColumns(
      String unseen, @Nullable String more, String read, boolean depends) throws IOException {
    List<Event> history = twoTransactions();
    int number = 0;
    history.add(byDbmsOfRow(2, "t read=a", 1, 1, 1, Access.READ, LOADER));
    history.add(unseenUpdate(2, 2, ++number, "t " + unseen));
    for (String next : more == null ? new String[0] : more.split(" then ", 0)) {
      if (next.startsWith("read")) {
        history.add(byDbmsOfRow(1, "t " + next, 2, 2, ++number, Access.READ, 20));
      } else if (number == 2) {
        history.add(byDbmsOfRow(1, "t " + next, 2, 2, ++number, Access.UPDATE, 20, 20));
      } else {
        history.add(unseenUpdate(2, 2, ++number, "t " + next));
      }
    }
    history.add(byDbmsOfRow(2, "t written=a", 2, 2, ++number, Access.UPDATE, LOADER, 20));
    history.add(new Event.TransactionEnded(2, 2, Outcome.COMMITTED, 0));
    history.add(byDbmsOfRow(1, "t read=" + read, 1, 1, 2, Access.READ, 20));
    history.add(new Event.TransactionEnded(1, 1, Outcome.COMMITTED, 0));
    Set<String> expected = depends ? Set.of("READ_SKEW") : Set.of();
    assertThat(names(found(history))).isEqualTo(expected);
    assertThat(names(exported(history))).as(edn(history)).isEqualTo(expected);
  }

  private static Event unseenUpdate(long session, long transaction, int number, String columns) {
    return new Event.StatementExecuted(
        session,
        transaction,
        number,
        StatementKind.UPDATE,
        "",
        "",
        List.of(),
        false,
        null,
        List.of(),
        columns);
  }

  private static List<Event> twoTransactions() {
    List<Event> history = new ArrayList<>();
    for (int session = 1; session <= 2; session++) {
      history.add(
          new Event.SessionOpened(
              session, "s" + session, new Database(new Product("D", "1"), Map.of())));
      history.add(new Event.TransactionBegan(session, session, IsolationLevel.READ_COMMITTED, 0));
    }
    return history;
  }

  /** An access to one row, with the ids that the DBMS gave to the writers of its versions. */
  private static Event byDbms(
      long session, long transaction, int number, Access access, long... ids) {
    return byDbms("", session, transaction, number, access, ids);
  }

  private static Event byDbms(
      String columns, long session, long transaction, int number, Access access, long... ids) {
    return byDbmsOfRow(1, columns, session, transaction, number, access, ids);
  }

  private static Event byDbmsOfRow(
      long rowId,
      String columns,
      long session,
      long transaction,
      int number,
      Access access,
      long... ids) {
    StringBuilder tokens = new StringBuilder();
    for (long id : ids) {
      tokens.append(WriterToken.of(id, WriterToken.BY_DBMS));
    }
    StatementKind kind =
        access == Access.READ ? StatementKind.SELECT : StatementKind.valueOf(access.name());
    RowAccess row = new RowAccess(access, "t", rowId, new WriterList(tokens.toString(), false));
    return new Event.StatementExecuted(
        session, transaction, number, kind, "", "", List.of(row), true, null, List.of(), columns);
  }

  /** Elle rejects a history in which a process completes what it did not invoke. */
  @Property(tries = 100)
  void processesCompleteExactlyWhatTheyInvoked(
      @ForAll Mode mode, @ForAll long seed, @ForAll @IntRange(min = 1, max = 80) int transactions)
      throws IOException {
    String edn = edn(Simulation.run(mode, new Random(seed), 4, transactions, 1, true));
    Set<String> running = new TreeSet<>();
    edn.lines()
        .filter(line -> !line.startsWith(";"))
        .forEach(
            line -> {
              String process = line.replaceFirst(".*:process (\\d+).*", "$1");
              boolean invoked = line.contains(":type :invoke");
              assertThat(invoked ? running.add(process) : running.remove(process))
                  .as("%s%nin%n%s", line, edn)
                  .isTrue();
            });
    assertThat(running).as(edn).isEmpty();
  }

  /** A row with many writes is split over several keys; a stale write is still found. */
  @ParameterizedTest
  @ValueSource(ints = {0, 1, 62, 63, 64, 65, 127, 128, 129, 149})
  void splitListsLoseNoAnomaly(int stale) throws IOException {
    List<Event> history = new ArrayList<>();
    List<String> tokens = new ArrayList<>();
    history.add(new Event.SessionOpened(1, "s1", new Database(new Product("D", "1"), Map.of())));
    history.add(new Event.SessionOpened(2, "s2", new Database(new Product("D", "1"), Map.of())));
    for (int i = 1; i <= 150; i++) {
      if (i - 1 == stale) {
        history.add(new Event.TransactionBegan(2, 1000, IsolationLevel.READ_COMMITTED, 0));
        history.add(statement(2, 1000, 1, Access.READ, tokens));
      }
      history.add(new Event.TransactionBegan(1, i, IsolationLevel.READ_COMMITTED, 0));
      tokens.add(WriterToken.of(i, 1));
      history.add(statement(1, i, 1, Access.UPDATE, tokens));
      history.add(new Event.TransactionEnded(1, i, Outcome.COMMITTED, 0));
    }
    tokens.add(WriterToken.of(1000, 2));
    history.add(statement(2, 1000, 2, Access.UPDATE, tokens));
    history.add(new Event.TransactionEnded(2, 1000, Outcome.COMMITTED, 0));
    assertThat(names(found(history))).containsExactly("LOST_UPDATE");
    // Over two keys a lost update is a cycle of its class, without the name.
    assertThat(names(exported(history))).hasSize(1).isSubsetOf("LOST_UPDATE", "G_SINGLE");
    String edn = edn(history);
    assertThat(edn).contains("later versions");
    assertThat(edn.lines().mapToInt(String::length).max().orElse(0)).isLessThan(1_000);
  }

  private static Event statement(
      long session, long transaction, int number, Access access, List<String> tokens) {
    List<String> window =
        tokens.subList(Math.max(0, tokens.size() - WriterList.WINDOW), tokens.size());
    return new Event.StatementExecuted(
        session,
        transaction,
        number,
        access == Access.READ ? StatementKind.SELECT : StatementKind.UPDATE,
        "",
        "",
        List.of(new RowAccess(access, "t", 1, WriterList.ofColumn(String.join("", window)))),
        true,
        null);
  }

  private static void assertSameAfterTheRoundTrip(List<Event> history) throws IOException {
    assertSameAfterTheRoundTrip(history, ElleExportProperties::name);
  }

  private static void assertSameAfterTheRoundTrip(
      List<Event> history, Function<Anomaly, String> name) throws IOException {
    boolean allEndsKnown =
        history.stream()
            .noneMatch(
                event ->
                    event instanceof Event.TransactionEnded ended
                        && ended.outcome() == Outcome.UNKNOWN);
    Set<String> found = gist(found(history), name);
    if (allEndsKnown && found.contains("ABORTED_READ")) {
      // A transaction that overwrote what was rolled back also overwrote the committed version
      // below
      // it: a list shows that version, a recording names the overwritten one alone.
      found.remove("at worst null");
      assertThat(gist(exported(history), name)).as(edn(history)).containsAll(found);
    } else if (allEndsKnown) {
      assertThat(gist(exported(history), name)).as(edn(history)).isEqualTo(found);
    } else if (!found(history).isEmpty()) {
      // What a transaction of unknown end wrote and a committed one read must have been committed,
      // or
      // never should have been read: of lists that is certain, a recording leaves it open.
      assertThat(exported(history)).as(edn(history)).isNotEmpty();
    }
  }

  /**
   * The part of the result that depends only on the dependencies, not on the order in which they
   * are inferred: a list is complete when its transaction ends, while a recording may reveal the
   * predecessor of a write later. This part is every wrong read, the worst phenomenon between two
   * transactions (a weaker one may have been reported before it), and the worst class of all
   * cycles. A longer cycle is not reported if each of its transactions is in a reported one.
   */
  private static Set<String> gist(List<Anomaly> anomalies, Function<Anomaly, String> name) {
    Set<String> gist = new TreeSet<>();
    Map<Set<Long>, String> pairs = new HashMap<>();
    CycleClass worst = null;
    for (Anomaly anomaly : anomalies) {
      CycleClass of = anomaly.cycleClass().orElse(null);
      if (of == null) {
        gist.add(name.apply(anomaly));
        continue;
      }
      worst = worst == null || of.compareTo(worst) < 0 ? of : worst;
      Set<Long> ids = new TreeSet<>();
      anomaly.transactions().forEach(transaction -> ids.add(transaction.id()));
      if (ids.size() == 2) {
        pairs.merge(ids, name.apply(anomaly), ElleExportProperties::worse);
      }
    }
    gist.addAll(pairs.values());
    gist.add("at worst " + worst);
    return gist;
  }

  private static String worse(String one, String other) {
    return WORST_FIRST.indexOf(one) <= WORST_FIRST.indexOf(other) ? one : other;
  }

  private static String edn(List<Event> history) throws IOException {
    StringWriter edn = new StringWriter();
    ElleExport.write(history, edn);
    return edn.toString();
  }

  private static List<Anomaly> exported(List<Event> history) throws IOException {
    Path file = Files.createTempFile("export", ".edn");
    try {
      Files.writeString(file, edn(history));
      List<Anomaly> exported = new ArrayList<>();
      ForeignHistory.check(
          file,
          ForeignFormat.ELLE_APPEND,
          ElleNotation.demand(IsolationLevel.SERIALIZABLE),
          exported::add);
      return exported;
    } finally {
      Files.delete(file);
    }
  }

  private static List<Anomaly> found(List<Event> history) {
    List<Anomaly> found = new ArrayList<>();
    try (Analyzer analyzer = new Analyzer(Judge.ADYA, found::add)) {
      for (Event event : history) {
        analyzer.accept(
            event instanceof Event.TransactionBegan began
                ? new Event.TransactionBegan(
                    began.session(), began.transaction(), IsolationLevel.SERIALIZABLE, 0)
                : event);
      }
    }
    return found;
  }

  private static Set<String> names(List<Anomaly> anomalies) {
    Set<String> names = new TreeSet<>();
    anomalies.forEach(anomaly -> names.add(name(anomaly)));
    return names;
  }

  private static String className(Anomaly anomaly) {
    return anomaly.cycleClass().map(CycleClass::name).orElseGet(() -> name(anomaly));
  }

  /**
   * Two rows that one statement read are two reads of a list: the old is seen first, or the new.
   */
  private static String name(Anomaly anomaly) {
    return anomaly.phenomenon() == Phenomenon.FRACTURED_READ
        ? Phenomenon.READ_SKEW.name()
        : anomaly.phenomenon().name();
  }
}
