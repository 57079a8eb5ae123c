package io.txwatch.bench.nested;

import io.txwatch.anomaly.Anomaly;
import io.txwatch.anomaly.ObservedTransaction;
import io.txwatch.bench.nested.AuditedTables.Audited;
import io.txwatch.bench.nested.LoggedTransaction.Logged;
import io.txwatch.bench.nested.LoggedTransaction.Query;
import io.txwatch.bench.nested.LoggedTransaction.Write;
import io.txwatch.dependency.Dependency;
import io.txwatch.dependency.DependencyKind;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.IdentityHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.function.Function;
import java.util.stream.Collectors;
import java.util.stream.LongStream;
import java.util.stream.Stream;

/**
 * Decides whether the dependencies of reported anomalies are true, from the application's log and
 * the audit table alone.
 *
 * <p><b>What a query saw.</b> A transaction is surely visible to a query if its COMMIT had returned
 * before the query (or the snapshot of its transaction) began, and surely not if COMMIT was called
 * after the query had returned. Of the others every combination is tried, and those are kept on
 * which the query's result is the logged one. What holds for all that remain is certain; what holds
 * for some is undecided.
 *
 * <p><b>What it depends on.</b> A query depends on a version if its result would be another one
 * without it. It certainly does if the result differs with the columns of the row as they were
 * before, or as the other transaction wrote them. It certainly does not if no value of the columns
 * that the other transaction wrote changes the result, not even one that no row has or NULL, nor
 * what a subquery in a condition returned, nor the values of which a subquery returned the
 * greatest: then the query's blocks may have read the row, but another block filtered it out, or
 * the columns were not used. Anything else, such as a predicate that holds before and after, is
 * undecided. So a dependency is also accepted if a third transaction wrote the row in between,
 * since it is one in the serial order all the same.
 */
final class DependencyJudge {

  /** Whether a dependency, or all those of an anomaly, exist. */
  enum Truth {
    TRUE,
    UNDECIDED,
    FALSE;

    /** What holds of an anomaly of which one dependency is this, and another one the other. */
    Truth and(Truth other) {
      return compareTo(other) >= 0 ? this : other;
    }

    /** What holds if one of two is enough. */
    Truth or(Truth other) {
      return compareTo(other) <= 0 ? this : other;
    }
  }

  /** How many of the states that a query may have seen are described. */
  private static final int MAX_DESCRIBED = 3;

  /** Transactions whose visibility is unknown beyond which a query is not decided. */
  private static final int MAX_UNKNOWN = 10;

  /** What the trigger writes that copies a row to another table. */
  private static final int COPIED = Column.N.bit() | Column.VER.bit();

  /** The transactions' snapshots: one for each statement, one for all, or one of each table. */
  enum Snapshots {
    OF_STATEMENTS,
    OF_TRANSACTIONS,
    /** One of each table, from its first use in a transaction on. */
    OF_TABLES
  }

  private record RowKey(String table, long id) {}

  private record Version(LoggedTransaction writer, int columns, long[] row) {}

  private final Map<Long, LoggedTransaction> log;
  private final Snapshots snapshots;

  /** The versions of each row in their order; the first one is the initial one, of no writer. */
  private final Map<RowKey, List<Version>> chains = new HashMap<>();

  private final Set<Query> unexplained = new LinkedHashSet<>();

  /** What each query may have seen. */
  private final Map<Query, List<Seen>> candidates = new IdentityHashMap<>();

  DependencyJudge(
      Map<Long, LoggedTransaction> log, Collection<Audited> audited, Snapshots snapshots) {
    this.log = log;
    this.snapshots = snapshots;
    Map<RowKey, Map<Long, Audited>> byReplaced = new HashMap<>();
    for (Audited version : audited) {
      Audited other =
          byReplaced
              .computeIfAbsent(
                  new RowKey(version.table(), Column.ID.of(version.row())), key -> new HashMap<>())
              .put(version.replaced(), version);
      if (other != null) {
        throw new IllegalStateException("two versions replaced version " + version.replaced());
      }
    }
    LoggedTransaction none = new LoggedTransaction(0);
    none.commitStarted = Long.MIN_VALUE;
    none.commitEnded = Long.MIN_VALUE;
    for (String table : AuditedTables.NAMES) {
      for (long[] initial : AuditedTables.initial(table)) {
        RowKey key = new RowKey(table, Column.ID.of(initial));
        List<Version> chain = new ArrayList<>(List.of(new Version(none, 0, initial)));
        Map<Long, Audited> next = byReplaced.getOrDefault(key, Map.of());
        Audited version = next.get(Column.VER.of(initial));
        while (version != null) {
          long number = Column.VER.of(version.row());
          chain.add(version(table, number, version.row()));
          version = next.get(number);
        }
        if (chain.size() != next.size() + 1) {
          throw new IllegalStateException("the audit table lacks versions of " + key);
        }
        chains.put(key, chain);
      }
    }
  }

  private Version version(String table, long number, long[] row) {
    LoggedTransaction writer = log.get(LoggedTransaction.writerOf(number));
    if (writer == null
        || !(writer.statements.get((int) (number % LoggedTransaction.MAX_STATEMENTS))
            instanceof Write write)) {
      throw new IllegalStateException("nobody wrote version " + number);
    }
    return new Version(writer, write.table().equals(table) ? write.columns() : COPIED, row);
  }

  /** The queries that no combination of visible transactions explains. */
  Set<Query> unexplained() {
    return unexplained;
  }

  /** Those of all queries of committed transactions: the DBMS or this evaluation is wrong. */
  Set<Query> unexplainedOfAll() {
    for (LoggedTransaction transaction : log.values()) {
      for (int i = 0; transaction.committed() && i < transaction.statements.size(); i++) {
        if (transaction.statements.get(i) instanceof Query query) {
          int index = i;
          candidates.computeIfAbsent(query, any -> candidates(transaction, index, query));
        }
      }
    }
    return unexplained;
  }

  /** Whether all dependencies of an anomaly exist. */
  Truth judge(Anomaly anomaly) {
    return anomaly.cycle().stream()
        .map(dependency -> judge(anomaly, dependency))
        .reduce(Truth.TRUE, Truth::and);
  }

  /** Whether a dependency of an anomaly exists. */
  Truth judge(Anomaly anomaly, Dependency dependency) {
    List<LoggedTransaction> from = mayBe(anomaly, dependency.from(), dependency);
    List<LoggedTransaction> to = mayBe(anomaly, dependency.to(), dependency);
    if (from.isEmpty() || to.isEmpty() || from.size() > 1 && to.size() > 1) {
      return Truth.UNDECIDED;
    }
    Truth any = Truth.FALSE;
    for (LoggedTransaction one : from) {
      for (LoggedTransaction other : to) {
        any = any == Truth.TRUE ? any : any.or(judge(dependency, one, other));
      }
    }
    return any;
  }

  /**
   * Which transactions in the application's log may be that of an id: if it is one that was not
   * watched, each of these that wrote the row. None if it is too far down the cycle to be listed.
   */
  private List<LoggedTransaction> mayBe(Anomaly anomaly, long id, Dependency dependency) {
    Optional<LoggedTransaction> logged = logged(anomaly, id);
    if (logged.isPresent()
        || anomaly.transactions().stream().noneMatch(observed -> observed.id() == id)) {
      return logged.stream().toList();
    }
    return rows(dependency).stream()
        .flatMap(row -> chain(row).stream())
        .map(Version::writer)
        .filter(writer -> !writer.watched)
        .distinct()
        .toList();
  }

  /** The transaction of that id in the application's log. */
  private Optional<LoggedTransaction> logged(Anomaly anomaly, long id) {
    return anomaly.transactions().stream()
        .filter(observed -> observed.id() == id)
        .map(ObservedTransaction::name)
        .filter(name -> name.startsWith(LoggedTransaction.NAME))
        .map(name -> log.get(Long.parseLong(name.substring(LoggedTransaction.NAME.length()))))
        .filter(Objects::nonNull)
        .findFirst();
  }

  /** The text of the query by which a dependency exists or not, its result and what it saw. */
  String describe(Anomaly anomaly, Dependency dependency) {
    boolean reads = dependency.kind() == DependencyKind.WR;
    int statement = reads ? dependency.toStatement() : dependency.fromStatement();
    return logged(anomaly, reads ? dependency.to() : dependency.from())
        .filter(reader -> statement > 0 && statement <= reader.statements.size())
        .map(reader -> reader.statements.get(statement - 1))
        .filter(Query.class::isInstance)
        .map(logged -> describe((Query) logged))
        .orElse("");
  }

  private String describe(Query query) {
    StringBuilder text = new StringBuilder(query.query().sql());
    text.append(" returned ").append(query.result().replace("\n", "; "));
    List<Seen> seenBy = candidates.getOrDefault(query, List.of());
    for (Seen seen : seenBy.subList(0, Math.min(MAX_DESCRIBED, seenBy.size()))) {
      tables(seen, Map.of())
          .forEach(
              (table, rows) ->
                  text.append(
                      rows.stream()
                          .sorted(Comparator.comparingLong(Column.ID::of))
                          .map(Arrays::toString)
                          .collect(Collectors.joining(" ", "\n    " + table + " ", ""))));
    }
    return text.toString();
  }

  /** Whether a dependency exists. */
  Truth judge(Dependency dependency, LoggedTransaction from, LoggedTransaction to) {
    if (!from.committed() || !to.committed()) {
      return Truth.FALSE;
    }
    Truth any = Truth.FALSE;
    for (RowKey row : rows(dependency)) {
      any =
          any.or(
              switch (dependency.kind()) {
                case WW -> overwrites(row, from, to);
                case WR -> ofQuery(to, dependency.toStatement(), seen -> sees(seen, row, from));
                case RW -> ofQuery(from, dependency.fromStatement(), seen -> misses(seen, row, to));
                case SO, RT, WAITS -> Truth.UNDECIDED;
              });
    }
    return any;
  }

  /** The row of a dependency; all rows of its table if its key is not known. */
  private List<RowKey> rows(Dependency dependency) {
    String table = dependency.table().toLowerCase(Locale.ROOT);
    String name = table.substring(table.lastIndexOf('.') + 1);
    String key = dependency.key().replaceAll("[^0-9]", "");
    return chains.keySet().stream()
        .filter(row -> row.table().equals(name))
        .filter(row -> key.isEmpty() || row.id() == Long.parseLong(key))
        .toList();
  }

  private List<Version> chain(RowKey row) {
    return chains.getOrDefault(row, List.of());
  }

  private Truth overwrites(RowKey row, LoggedTransaction from, LoggedTransaction to) {
    boolean found = false;
    for (Version version : chain(row)) {
      if (version.writer() == from) {
        found = true;
      } else if (version.writer() == to && found) {
        return Truth.TRUE;
      }
    }
    return Truth.FALSE;
  }

  /** What a query may have seen: for each row, the place in its chain. */
  private record Seen(LoggedTransaction reader, Query query, Map<RowKey, Integer> places) {}

  private Truth ofQuery(LoggedTransaction reader, int statement, Function<Seen, Truth> judged) {
    Truth any = Truth.FALSE;
    for (int i = 0; i < reader.statements.size(); i++) {
      boolean named = statement == 0 || statement == i + 1;
      if (named && reader.statements.get(i) instanceof Query query) {
        any = any.or(ofQuery(reader, i, query, judged));
      }
    }
    return any;
  }

  private Truth ofQuery(
      LoggedTransaction reader, int index, Query query, Function<Seen, Truth> judged) {
    List<Truth> each =
        candidates.computeIfAbsent(query, any -> candidates(reader, index, query)).stream()
            .map(judged)
            .distinct()
            .toList();
    return each.size() == 1 ? each.get(0) : Truth.UNDECIDED;
  }

  /** What a query may have seen; empty if there are too many possibilities, or none explains it. */
  private List<Seen> candidates(LoggedTransaction reader, int index, Query query) {
    boolean ofStatement = snapshots == Snapshots.OF_STATEMENTS;
    long from = ofStatement ? query.started() : reader.statements.get(0).started();
    long until =
        snapshots == Snapshots.OF_TRANSACTIONS
            ? reader.statements.stream()
                .filter(Query.class::isInstance)
                .mapToLong(Logged::ended)
                .findFirst()
                .orElse(query.ended())
            : query.ended();
    Map<RowKey, List<Place>> possible = new HashMap<>();
    Set<LoggedTransaction> unknown = new LinkedHashSet<>();
    chains.forEach(
        (row, chain) -> {
          List<Place> places = places(chain, reader, index, from, until);
          places.forEach(place -> place.unknown().ifPresent(unknown::add));
          possible.put(row, places);
        });
    if (unknown.size() > MAX_UNKNOWN) {
      return List.of();
    }
    List<LoggedTransaction> ordered = List.copyOf(unknown);
    List<Seen> explaining = new ArrayList<>();
    for (int bits = 0; bits < 1 << ordered.size(); bits++) {
      Set<LoggedTransaction> visible = new HashSet<>();
      for (int i = 0; i < ordered.size(); i++) {
        if ((bits >> i & 1) != 0) {
          visible.add(ordered.get(i));
        }
      }
      Map<RowKey, Integer> places = new HashMap<>();
      possible.forEach((row, all) -> places.put(row, lastVisible(all, visible)));
      Seen seen = new Seen(reader, query, places);
      if (result(seen, Map.of()).equals(query.result())) {
        explaining.add(seen);
      }
    }
    if (explaining.isEmpty()) {
      unexplained.add(query);
    }
    return explaining;
  }

  /** A place in a chain, and the transaction by whose visibility a query sees it, if unknown. */
  private record Place(int index, Optional<LoggedTransaction> unknown) {}

  /** The places in a chain that a query may see, the last one first; the last is surely visible. */
  private static List<Place> places(
      List<Version> chain, LoggedTransaction reader, int index, long from, long until) {
    List<Place> places = new ArrayList<>();
    for (int i = chain.size() - 1; i >= 0; i--) {
      Version version = chain.get(i);
      LoggedTransaction writer = version.writer();
      boolean isSure =
          writer == reader
              ? Column.VER.of(version.row()) % LoggedTransaction.MAX_STATEMENTS < index
              : writer.commitEnded < from;
      if (isSure) {
        places.add(new Place(i, Optional.empty()));
        return places;
      }
      if (writer != reader && writer.commitStarted <= until) {
        places.add(new Place(i, Optional.of(writer)));
      }
    }
    return places;
  }

  private static int lastVisible(List<Place> places, Set<LoggedTransaction> visible) {
    for (Place place : places) {
      if (place.unknown().isEmpty() || visible.contains(place.unknown().get())) {
        return place.index();
      }
    }
    throw new IllegalStateException("the initial version is visible to all");
  }

  /** The result of a query on what it saw, with other values of some rows. */
  private String result(Seen seen, Map<RowKey, long[]> others) {
    Map<String, List<long[]>> tables = tables(seen, others);
    return seen.query().query().result(table -> tables.getOrDefault(table, List.of()));
  }

  private Map<String, List<long[]>> tables(Seen seen, Map<RowKey, long[]> others) {
    Map<String, List<long[]>> tables = new HashMap<>();
    seen.places()
        .forEach(
            (row, place) ->
                tables
                    .computeIfAbsent(row.table(), table -> new ArrayList<>())
                    .add(others.getOrDefault(row, chain(row).get(place).row())));
    return tables;
  }

  /** Whether a query depends on what a transaction wrote to the row, in the version that it saw. */
  private Truth sees(Seen seen, RowKey row, LoggedTransaction writer) {
    List<Version> chain = chain(row);
    int place = seen.places().getOrDefault(row, 0);
    int columns = 0;
    int written = -1;
    for (int i = 1; i <= place; i++) {
      Version version = chain.get(i);
      if (version.writer() == writer) {
        columns |= version.columns();
        written = written < 0 ? i : written;
      } else if (version.writer() == seen.reader()) {
        columns &= ~version.columns();
      }
    }
    return written < 0
        ? Truth.FALSE
        : depends(seen, row, columns, List.of(chain.get(written - 1).row()), Map.of());
  }

  /** Whether a query depends on what a transaction later overwrote of the row. */
  private Truth misses(Seen seen, RowKey row, LoggedTransaction writer) {
    List<Version> chain = chain(row);
    int place = seen.places().getOrDefault(row, 0);
    int columns = 0;
    List<long[]> later = new ArrayList<>();
    for (int i = place + 1; i < chain.size(); i++) {
      if (chain.get(i).writer() == writer) {
        columns |= chain.get(i).columns();
        later.add(chain.get(i).row());
      }
    }
    return later.isEmpty()
        ? Truth.FALSE
        : depends(seen, row, columns, later, laterRows(seen, row, writer));
  }

  /**
   * Whether the result depends on some columns of a row.
   *
   * @param others rows with other values of them, each of which proves it if the result differs
   * @param besides other rows that the same transaction wrote: the result may depend on all of them
   *     together, as EXISTS does
   */
  private Truth depends(
      Seen seen, RowKey row, int columns, List<long[]> others, Map<RowKey, long[]> besides) {
    for (long[] other : others) {
      Map<RowKey, long[]> changed = Map.of(row, mixed(seenRow(seen, row), other, columns));
      if (!result(seen, changed).equals(seen.query().result())) {
        return Truth.TRUE;
      }
    }
    boolean isUsed =
        Stream.concat(others.stream(), imagined().stream())
                .anyMatch(
                    other ->
                        isUsed(seen, row, columns, other, Map.of())
                            || isUsed(seen, row, columns, other, besides))
            || unusual().stream()
                .anyMatch(
                    other ->
                        isReturned(seen, row, columns, other, Map.of())
                            || isReturned(seen, row, columns, other, besides));
    return isUsed ? Truth.UNDECIDED : Truth.FALSE;
  }

  /**
   * Whether other values of some columns of a row change the result, or what is {@linkplain
   * TableRows#operand noted} beside it, with other rows as given.
   */
  private boolean isUsed(
      Seen seen, RowKey row, int columns, long[] other, Map<RowKey, long[]> besides) {
    Map<RowKey, long[]> with = new HashMap<>(besides);
    with.put(row, mixed(seenRow(seen, row), other, columns));
    Map<String, List<long[]>> before = tables(seen, besides);
    Map<String, List<long[]>> after = tables(seen, with);
    NestedQuery query = seen.query().query();
    return !query
        .trace(table -> after.getOrDefault(table, List.of()))
        .equals(query.trace(table -> before.getOrDefault(table, List.of())));
  }

  /** Whether other values of some columns of a row change the result, with other rows as given. */
  private boolean isReturned(
      Seen seen, RowKey row, int columns, long[] other, Map<RowKey, long[]> besides) {
    Map<RowKey, long[]> with = new HashMap<>(besides);
    with.put(row, mixed(seenRow(seen, row), other, columns));
    return !result(seen, with).equals(result(seen, besides));
  }

  private long[] seenRow(Seen seen, RowKey row) {
    return chain(row).get(seen.places().getOrDefault(row, 0)).row();
  }

  /** What a transaction wrote to other rows, over versions that a query saw. */
  private Map<RowKey, long[]> laterRows(Seen seen, RowKey except, LoggedTransaction writer) {
    Map<RowKey, long[]> rows = new HashMap<>();
    for (Logged logged : writer.statements) {
      if (logged instanceof Write write) {
        for (String table :
            write.table().equals("ta") ? List.of("ta", "tb") : List.of(write.table())) {
          RowKey row = new RowKey(table, write.id());
          List<Version> chain = chain(row);
          for (int i = seen.places().getOrDefault(row, 0) + 1; i < chain.size(); i++) {
            Version version = chain.get(i);
            if (!row.equals(except) && version.writer() == writer) {
              long[] before = rows.getOrDefault(row, seenRow(seen, row));
              rows.put(row, mixed(before, version.row(), version.columns()));
            }
          }
        }
      }
    }
    return rows;
  }

  private static long[] mixed(long[] actual, long[] other, int columns) {
    long[] mixed = actual.clone();
    for (Column column : Column.values()) {
      if ((columns & column.bit()) != 0) {
        mixed[column.ordinal()] = column.of(other);
      }
    }
    return mixed;
  }

  /** Rows of every value that a predicate may distinguish: each K, small, great, even and odd N. */
  private static List<long[]> imagined() {
    return rows(LongStream.range(0, Column.VALUES_OF_K).toArray());
  }

  /**
   * Rows with a K that no row has. If the rows of a subquery have every other K, only these change
   * what a comparison with them yields. They count by the result alone: what a subquery in a
   * condition returns for such a K differs even for a row that another block filters out.
   */
  private static List<long[]> unusual() {
    return rows(-1, Column.VALUES_OF_K, Column.NULL);
  }

  private static List<long[]> rows(long... valuesOfK) {
    List<long[]> rows = new ArrayList<>();
    for (long k : valuesOfK) {
      for (long n : new long[] {Long.MIN_VALUE / 4, 1 - (1L << 60), 1L << 60, (1L << 60) + 1}) {
        rows.add(new long[] {0, k, n, n});
      }
    }
    return rows;
  }
}
