package io.txwatch.oracle.troc;

import io.txwatch.dbms.Semantics;
import io.txwatch.dbms.Semantics.Visibility;
import io.txwatch.oracle.troc.ChangeHistory.Version;
import io.txwatch.oracle.troc.ChangeHistory.View;
import io.txwatch.schedule.StepOutcome;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * The views that a statement may have by a {@link Mechanism}: of each row it sees one of several
 * versions, and every combination is a view, up to a limit.
 */
final class PossibleViews {

  /** The most views of a statement for which every combination is tried. */
  private static final int MAX_VIEWS = 256;

  private final Mechanism mechanism;
  private final ViewExecutor executor;
  private final TableKeys keys;
  private final Timeline timeline;

  /**
   * A statement in a world.
   *
   * @param target the table that it writes or locks; empty if it is a plain query or unknown
   */
  record Reader(
      World world,
      OpenTransaction transaction,
      StepOutcome outcome,
      StatementForm form,
      Optional<String> target) {

    boolean isPlainQuery() {
      return form.kind() == StatementForm.Kind.READ;
    }

    boolean writes(String table) {
      return target.filter(table::equals).isPresent();
    }

    /** True for an INSERT or REPLACE of values: no scan chooses rows that it changes. */
    boolean insertsValues() {
      return (form.kind() == StatementForm.Kind.INSERT || form.kind() == StatementForm.Kind.UPSERT)
          && !form.hasSubquery();
    }
  }

  /**
   * The rows that a statement sees in place of one row: none, one, or its old and its new version.
   */
  private record Sight(List<List<@Nullable Object>> rows) {

    static final Sight NOTHING = new Sight(List.of());

    static Sight of(@Nullable List<@Nullable Object> data) {
      return data == null ? NOTHING : new Sight(List.of(data));
    }
  }

  PossibleViews(Mechanism mechanism, ViewExecutor executor, Timeline timeline) {
    this.mechanism = mechanism;
    this.executor = executor;
    this.keys = executor.keys();
    this.timeline = timeline;
  }

  /**
   * The views of the statement. If there are too many, only those that consist of the sights of
   * each row with the same index: every row as of the same time.
   */
  List<View> of(Reader reader) {
    Map<String, Map<Long, Set<Sight>>> sights = new HashMap<>();
    Set<String> relevant = executor.tableReads().relevantTo(reader.form());
    for (String table : reader.world().versions.tables()) {
      Map<Long, Set<Sight>> ofTable = new LinkedHashMap<>();
      sights.put(table, ofTable);
      for (Map.Entry<Long, List<Version>> row : reader.world().versions.rows(table).entrySet()) {
        ofTable.put(
            row.getKey(),
            relevant.contains(table)
                ? sights(reader, table, row.getKey(), row.getValue())
                : Set.of(newest(row.getValue(), version -> version.writer().isCommitted())));
      }
    }
    return views(sights);
  }

  /** The committed rows of a world; several views if an index may be wrong. */
  List<View> ofFinalState(World world) {
    Map<String, Map<Long, Set<Sight>>> sights = new HashMap<>();
    for (String table : world.versions.tables()) {
      Map<Long, Set<Sight>> ofTable = new LinkedHashMap<>();
      sights.put(table, ofTable);
      for (Map.Entry<Long, List<Version>> row : world.versions.rows(table).entrySet()) {
        Set<Sight> ofRow = new LinkedHashSet<>();
        ofRow.add(newest(row.getValue(), version -> version.writer().isCommitted()));
        addStale(ofRow, world, table, row.getKey(), row.getValue());
        ofTable.put(row.getKey(), ofRow);
      }
    }
    return views(sights);
  }

  private static List<View> views(Map<String, Map<Long, Set<Sight>>> sights) {
    List<Map<String, TreeMap<Long, List<@Nullable Object>>>> views = new ArrayList<>();
    Map<String, TreeMap<Long, List<@Nullable Object>>> empty = new HashMap<>();
    sights.keySet().forEach(table -> empty.put(table, new TreeMap<>()));
    views.add(empty);
    for (Map.Entry<String, Map<Long, Set<Sight>>> table : sights.entrySet()) {
      for (Map.Entry<Long, Set<Sight>> row : table.getValue().entrySet()) {
        if (views.size() * row.getValue().size() > MAX_VIEWS) {
          return viewsByIndex(sights);
        }
        views = combine(views, table.getKey(), row.getKey(), row.getValue());
      }
    }
    return views.stream().map(View::new).toList();
  }

  private static List<View> viewsByIndex(Map<String, Map<Long, Set<Sight>>> sights) {
    int most =
        sights.values().stream()
            .flatMap(rows -> rows.values().stream())
            .mapToInt(Set::size)
            .max()
            .orElse(0);
    List<View> views = new ArrayList<>();
    for (int i = 0; i < most; i++) {
      Map<String, TreeMap<Long, List<@Nullable Object>>> view = new HashMap<>();
      for (Map.Entry<String, Map<Long, Set<Sight>>> table : sights.entrySet()) {
        TreeMap<Long, List<@Nullable Object>> rows = new TreeMap<>();
        view.put(table.getKey(), rows);
        for (Map.Entry<Long, Set<Sight>> row : table.getValue().entrySet()) {
          List<Sight> ofRow = List.copyOf(row.getValue());
          put(rows, row.getKey(), ofRow.get(Math.min(i, ofRow.size() - 1)));
        }
      }
      views.add(new View(view));
    }
    return views;
  }

  private static void addStale(
      Set<Sight> sights, World world, String table, long row, List<Version> versions) {
    if (world.stale.contains(new World.RowId(table, row))) {
      versions.forEach(version -> sights.add(Sight.of(version.data())));
      sights.add(Sight.NOTHING);
    }
  }

  private static List<Map<String, TreeMap<Long, List<@Nullable Object>>>> combine(
      List<Map<String, TreeMap<Long, List<@Nullable Object>>>> views,
      String table,
      long row,
      Set<Sight> sights) {
    List<Map<String, TreeMap<Long, List<@Nullable Object>>>> combined = new ArrayList<>();
    for (Map<String, TreeMap<Long, List<@Nullable Object>>> view : views) {
      for (Sight sight : sights) {
        Map<String, TreeMap<Long, List<@Nullable Object>>> longer = view;
        if (sights.size() > 1) {
          longer = new HashMap<>(view);
          longer.put(table, new TreeMap<>(view.get(table)));
        }
        TreeMap<Long, List<@Nullable Object>> rows = Objects.requireNonNull(longer.get(table));
        put(rows, row, sight);
        combined.add(longer);
      }
    }
    return combined;
  }

  private static void put(TreeMap<Long, List<@Nullable Object>> rows, long row, Sight sight) {
    for (int i = 0; i < sight.rows().size(); i++) {
      rows.put(i == 0 ? row : -row, sight.rows().get(i));
    }
  }

  /** The current version of a row for a transaction: its own or the last committed one. */
  static @Nullable List<@Nullable Object> current(
      World world, OpenTransaction transaction, String table, long row) {
    return world
        .versions
        .newest(
            table,
            row,
            version -> version.writer() == transaction.writer || version.writer().isCommitted())
        .map(Version::data)
        .orElse(null);
  }

  private Set<Sight> sights(Reader reader, String table, long row, List<Version> versions) {
    Set<Sight> sights = new LinkedHashSet<>();
    for (Visibility visibility : visibilities(reader, table)) {
      sights.add(sight(reader, table, versions, visibility));
    }
    if (!mechanism.occursAt(reader.transaction().level)) {
      return sights;
    }
    switch (mechanism) {
      case SEMI_CONSISTENT_READ, MOVED_ROW -> {
        if (!reader.isPlainQuery()
            && !reader.insertsValues()
            && reader.outcome().blocked()
            && executor.tableReads().mayRead(reader.form(), table)) {
          addCommittedWhileBlocked(sights, reader, versions);
          if (mechanism == Mechanism.MOVED_ROW && reader.writes(table) && hasMoved(sights, table)) {
            sights.add(Sight.NOTHING);
          }
        }
      }
      case SNAPSHOT_BESIDE_CURRENT_READ -> {
        if (reader.isPlainQuery()) {
          addSnapshotBesideCurrent(sights, reader, table, versions);
        }
      }
      case DIRTY_SOURCE -> {
        if (!reader.isPlainQuery() && (reader.form().hasSubquery() || reader.form().joins())) {
          addCommittedWhileBlocked(sights, reader, versions);
          sights.add(Sight.of(versions.get(versions.size() - 1).data()));
        }
      }
      case DIRTY_TARGET -> {
        if (reader.writes(table)) {
          sights.add(Sight.of(versions.get(versions.size() - 1).data()));
          addUndone(sights, reader, new World.RowId(table, row));
        }
      }
      case STALE_CHILD_INDEX -> addStale(sights, reader.world(), table, row, versions);
      case NO_SNAPSHOT_OF_RELATED_TABLES -> {
        if (!executor.relatedTables(table).isEmpty()) {
          sights.add(sight(reader, table, versions, Visibility.RECHECKED));
        }
      }
      case PHANTOM_ROWS -> {
        if (sights.contains(Sight.NOTHING)) {
          sights.add(sight(reader, table, versions, Visibility.RECHECKED));
        }
      }
      case INSERTED_WHILE_BLOCKED -> {
        if (!reader.isPlainQuery()
            && reader.outcome().blocked()
            && sights.contains(Sight.NOTHING)) {
          addCommittedWhileBlocked(sights, reader, versions);
        }
      }
      case LEVEL,
          ROW_TWICE,
          KEY_IS_IDENTITY,
          SMALLER_MAXIMUM,
          UNCHECKED_INDEX_LOCK,
          NEWER_VERSION_WRITTEN,
          NEWER_VERSION_READ_AFTER_LOCK -> {}
    }
    return sights;
  }

  /** What the level makes visible; several if the DBMS reads a row at two points in time. */
  private List<Visibility> visibilities(Reader reader, String table) {
    if (reader.isPlainQuery()) {
      return List.of(reader.transaction().semantics.reads());
    }
    StatementForm form = reader.form();
    boolean isTarget = reader.writes(table);
    if (isTarget && reader.outcome().blocked() && hasNoSnapshotYet(reader, table)) {
      return List.of(Visibility.RECHECKED, Visibility.COMMITTED);
    }
    boolean isRelated =
        reader.target().map(executor::relatedTables).orElse(Set.of()).contains(table);
    boolean insertsInto =
        isTarget
            && (form.kind() == StatementForm.Kind.INSERT
                || form.kind() == StatementForm.Kind.UPSERT
                || !reader.outcome().succeeded());
    Visibility ofWrites = reader.transaction().semantics.writes();
    if (!isTarget && form.kind() != StatementForm.Kind.DELETE && form.hasSubquery()) {
      ofWrites = reader.transaction().semantics.subqueries();
    }
    // Keys and foreign keys are checked against the latest rows.
    return (insertsInto || isRelated) && ofWrites != Visibility.COMMITTED
        ? List.of(ofWrites, Visibility.COMMITTED)
        : List.of(ofWrites);
  }

  /** True if a transaction takes the snapshot of a table only when it reads it. */
  private boolean hasNoSnapshotYet(Reader reader, String table) {
    return reader.transaction().semantics.snapshot() == Semantics.Snapshot.FIRST_READ_OF_TABLE
        && reader.world().snapshot(reader.transaction()).of(table) == SnapshotTimes.NONE;
  }

  private Sight sight(Reader reader, String table, List<Version> versions, Visibility visibility) {
    OpenTransaction transaction = reader.transaction();
    return switch (visibility) {
      case DIRTY -> newest(versions, version -> true);
      case COMMITTED -> newest(versions, isOwnOr(transaction, v -> v.writer().isCommitted()));
      case RECHECKED ->
          newest(
              versions,
              isOwnOr(
                  transaction,
                  v -> v.writer().isCommittedBefore(timeline.begin(reader.outcome()))));
      case SNAPSHOT ->
          newest(
              versions,
              isOwnOr(transaction, v -> v.writer().isCommittedBefore(moment(reader, table))));
    };
  }

  private int moment(Reader reader, String table) {
    int snapshot = reader.world().snapshot(reader.transaction()).of(table);
    return snapshot == SnapshotTimes.NONE ? timeline.now() : snapshot;
  }

  private static Predicate<Version> isOwnOr(
      OpenTransaction transaction, Predicate<Version> others) {
    return version -> version.writer() == transaction.writer || others.test(version);
  }

  private static Sight newest(List<Version> versions, Predicate<Version> isVisible) {
    for (int i = versions.size() - 1; i >= 0; i--) {
      if (isVisible.test(versions.get(i))) {
        return Sight.of(versions.get(i).data());
      }
    }
    return Sight.NOTHING;
  }

  /** Adds the versions that were committed at some moment while the statement was blocked. */
  private void addCommittedWhileBlocked(Set<Sight> sights, Reader reader, List<Version> versions) {
    for (int moment = timeline.begin(reader.outcome()); moment <= timeline.now(); moment++) {
      int until = moment;
      sights.add(
          newest(
              versions, isOwnOr(reader.transaction(), v -> v.writer().isCommittedBefore(until))));
    }
  }

  /** Adds the uncommitted versions that the statement may have found, and that are gone. */
  private void addUndone(Set<Sight> sights, Reader reader, World.RowId row) {
    for (World.UndoneVersion version : reader.world().undone) {
      if (version.row().equals(row) && version.until() >= timeline.begin(reader.outcome())) {
        sights.add(Sight.of(version.data()));
      }
    }
  }

  /** True if a key, an indexed or a partitioning column differs between the versions of a row. */
  private boolean hasMoved(Set<Sight> sights, String table) {
    List<List<@Nullable Object>> seen =
        sights.stream().flatMap(sight -> sight.rows().stream()).distinct().toList();
    return keys.placingColumns(table).stream()
        .map(column -> executor.columnIndex(table, column))
        .filter(index -> index >= 0)
        .anyMatch(index -> seen.stream().map(row -> row.get(index)).distinct().count() > 1);
  }

  /** Adds what InnoDB shows of a row that the transaction wrote after its snapshot. */
  private void addSnapshotBesideCurrent(
      Set<Sight> sights, Reader reader, String table, List<Version> versions) {
    Version last = versions.get(versions.size() - 1);
    if (last.writer() != reader.transaction().writer) {
      return;
    }
    Sight atSnapshot = newest(versions, v -> v.writer().isCommittedBefore(moment(reader, table)));
    Sight before = newest(versions, v -> v.writer().isCommitted());
    Sight own = Sight.of(last.data());
    if (own.equals(before)) {
      sights.add(atSnapshot); // the write has left no version
    }
    Sight written = own.rows().isEmpty() ? before : own;
    if (!atSnapshot.rows().isEmpty()
        && !written.rows().isEmpty()
        && isStoredAsAnotherRow(table, atSnapshot.rows().get(0), written.rows().get(0))) {
      List<List<@Nullable Object>> both = new ArrayList<>(atSnapshot.rows());
      both.addAll(own.equals(before) ? List.of() : own.rows());
      sights.add(new Sight(both));
    }
  }

  private boolean isStoredAsAnotherRow(
      String table, List<@Nullable Object> row, List<@Nullable Object> other) {
    return keys.identifyingColumns(table).stream()
        .map(column -> executor.columnIndex(table, column))
        .filter(index -> index >= 0)
        .anyMatch(index -> !Objects.equals(row.get(index), other.get(index)));
  }
}
