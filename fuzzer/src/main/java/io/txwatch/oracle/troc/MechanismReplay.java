package io.txwatch.oracle.troc;

import io.txwatch.dbms.Failure;
import io.txwatch.dbms.Semantics.Snapshot;
import io.txwatch.dbms.Semantics.Visibility;
import io.txwatch.oracle.CaseExecutor;
import io.txwatch.oracle.OracleVerdict.Result;
import io.txwatch.oracle.troc.ChangeHistory.Version;
import io.txwatch.oracle.troc.ChangeHistory.View;
import io.txwatch.schedule.CaseExecution;
import io.txwatch.schedule.ScheduleExecutor;
import io.txwatch.schedule.StepOutcome;
import io.txwatch.schedule.Values;
import io.txwatch.testcase.SqlText;
import java.math.BigDecimal;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.Predicate;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * Decides whether a {@link Mechanism} explains an execution: whether every statement has a result,
 * every error and the final state are ones that the mechanism gives.
 *
 * <p>Where the mechanism permits several views, the replay follows each of them whose result was
 * observed. The execution is explained if at least one state is left at the end. A case that has
 * too many states is not explained.
 */
public final class MechanismReplay extends ExecutionReplay {

  /** The most states that are followed. */
  private static final int MAX_WORLDS = 64;

  /** What MySQL's and MariaDB's EXPLAIN shows of a query that may read no table. */
  private static final Pattern READS_NOTHING =
      Pattern.compile("Impossible|Zero limit|No tables used");

  private final Mechanism mechanism;
  private final Predicate<StepOutcome> isExplainedError;
  private final ViewExecutor executor;
  private final TableReads tableReads;
  private final OrphanStatements orphans;
  private final StoredReferences references;
  private final PossibleViews views;
  private final ResultBags bags;
  private List<World> worlds = new ArrayList<>();

  private MechanismReplay(
      CaseExecution execution,
      Map<String, SessionSemantics> sessions,
      Mechanism mechanism,
      Predicate<StepOutcome> isExplainedError,
      ViewExecutor executor,
      OrphanStatements orphans) {
    super(execution, sessions);
    this.mechanism = mechanism;
    this.isExplainedError = isExplainedError;
    this.executor = executor;
    this.tableReads = executor.tableReads();
    this.orphans = orphans;
    this.references = new StoredReferences(execution.testCase(), executor, orphans);
    this.views = new PossibleViews(mechanism, executor, timeline);
    this.bags = new ResultBags(executor.dbms().comparesCaseInsensitively());
    RowIdentity identity = executor.rowIdentity();
    worlds.add(
        new World(
            new ChangeHistory(
                executor.initial(),
                mechanism.isIdentifiedByKey() ? identity.changingWithKey() : identity)));
  }

  /** True if the mechanism explains the execution. */
  public static boolean explains(
      Mechanism mechanism, CaseExecution execution, CaseExecutor executor)
      throws SQLException, ScheduleExecutor.SetupException {
    return explains(mechanism, outcome -> false, execution, executor);
  }

  /**
   * True if the mechanism explains the execution.
   *
   * @param isExplainedError true for errors of statements that the caller explains
   */
  public static boolean explains(
      Mechanism mechanism,
      Predicate<StepOutcome> isExplainedError,
      CaseExecution execution,
      CaseExecutor executor)
      throws SQLException, ScheduleExecutor.SetupException {
    SessionSemantics.Sessions sessions = SessionSemantics.Sessions.of(execution, executor);
    if (sessions.unknown().isPresent() || execution.inconclusiveReason().isPresent()) {
      return false;
    }
    try (ViewExecutor scratch = new ViewExecutor(executor, execution.testCase());
        OrphanStatements orphans = new OrphanStatements(executor.dbms(), execution.testCase())) {
      new MechanismReplay(
              execution, sessions.byName(), mechanism, isExplainedError, scratch, orphans)
          .run();
      return true;
    } catch (EarlyVerdictException | ViewExecutor.BrokenViewException e) {
      return false;
    }
  }

  @Override
  void begin(OpenTransaction begun, StepOutcome outcome) {
    if (begun.semantics.takesSnapshotAtBegin(outcome.step().sql())) {
      worlds.forEach(world -> world.snapshots.put(begun, SnapshotTimes.at(timeline.now())));
    }
  }

  @Override
  void rollBack(OpenTransaction transaction) {
    if (mechanism == Mechanism.DIRTY_TARGET) {
      worlds.forEach(world -> keepUndone(world, transaction));
    }
    worlds.forEach(world -> world.versions.rollBack(transaction.writer, 0));
  }

  private void keepUndone(World world, OpenTransaction transaction) {
    for (String table : world.versions.tables()) {
      world
          .versions
          .rows(table)
          .forEach(
              (row, versions) ->
                  versions.stream()
                      .filter(version -> version.writer() == transaction.writer)
                      .map(version -> undone(table, row, version.data()))
                      .forEach(world.undone::add));
    }
  }

  private World.UndoneVersion undone(
      String table, long row, @Nullable List<@Nullable Object> data) {
    return new World.UndoneVersion(new World.RowId(table, row), data, timeline.now());
  }

  @Override
  void failed(OpenTransaction transaction, StepOutcome outcome)
      throws SQLException, EarlyVerdictException {
    StatementForm form = StatementForm.of(outcome.step().sql());
    takeSnapshot(transaction, form, outcome);
    Failure failure = outcome.failure();
    boolean isOfStatement = failure != null && failure.kind() == Failure.Kind.STATEMENT;
    if (isOfStatement && !isExplainedError.test(outcome)) {
      follow(outcome, world -> afterError(world, transaction, form, outcome));
    }
  }

  @Override
  void work(OpenTransaction transaction, StepOutcome outcome)
      throws SQLException, EarlyVerdictException {
    StatementForm form = StatementForm.of(outcome.step().sql());
    switch (form.kind()) {
      case SAVEPOINT -> worlds.forEach(world -> savepoint(world, transaction, form));
      case OTHER -> {
        if (!hasFoundNoRow(outcome)) {
          throw notExplained(outcome, "its effect is unknown");
        }
        follow(outcome, world -> afterFindingNoRow(world, transaction, form, outcome));
      }
      case READ -> {
        takeSnapshot(transaction, form, outcome);
        boolean isDirty = transaction.semantics.reads() == Visibility.DIRTY;
        if (!isDirty || !timeline.hasPartiallyExecutedPeer(outcome)) {
          follow(outcome, world -> afterQuery(world, transaction, form, outcome));
        }
      }
      case LOCKING_READ -> {
        takeSnapshot(transaction, form, outcome);
        follow(outcome, world -> afterLockingQuery(world, transaction, form, outcome));
      }
      default -> {
        takeSnapshot(transaction, form, outcome);
        follow(outcome, world -> afterWrite(world, transaction, form, outcome));
      }
    }
  }

  /** True for an UPDATE or DELETE of any form without any effect. */
  private static boolean hasFoundNoRow(StepOutcome outcome) {
    return outcome.updateCount() == 0
        && SqlText.of(outcome.step().sql()).writes().stream()
            .anyMatch(write -> write.is("UPDATE", "DELETE"));
  }

  private List<World> afterFindingNoRow(
      World world, OpenTransaction transaction, StatementForm form, StepOutcome outcome)
      throws SQLException {
    String table = executor.tables().iterator().next(); // any: nothing is changed
    for (View view : views.of(reader(world, transaction, form, outcome))) {
      ViewExecutor.Outcome result = write(form.sql(), view, table);
      if (result.error().isEmpty() && result.count() == 0) {
        return List.of(world);
      }
    }
    return List.of();
  }

  /** The states after a step in one state; none if the step had another result than observed. */
  @FunctionalInterface
  private interface Successors {
    List<World> of(World world) throws SQLException, EarlyVerdictException;
  }

  private void follow(StepOutcome outcome, Successors successors)
      throws SQLException, EarlyVerdictException {
    if (StatementForm.of(outcome.step().sql()).dependsOnRowOrder()) {
      throw notExplained(outcome, "its effect depends on the order of rows");
    }
    List<World> next = new ArrayList<>();
    for (World world : worlds) {
      for (World after : successors.of(world)) {
        if (next.stream().noneMatch(after::isSame)) {
          next.add(after);
        }
      }
    }
    if (next.isEmpty() || next.size() > MAX_WORLDS) {
      throw notExplained(outcome, next.isEmpty() ? "no view gives its result" : "too many states");
    }
    worlds = next;
  }

  private static EarlyVerdictException notExplained(StepOutcome outcome, String why) {
    return new EarlyVerdictException(Result.UNDECIDED, why, Optional.of(outcome.step()));
  }

  private void takeSnapshot(OpenTransaction transaction, StatementForm form, StepOutcome outcome)
      throws SQLException {
    int moment = timeline.begin(outcome);
    for (World world : List.copyOf(worlds)) {
      SnapshotTimes before = world.snapshot(transaction);
      SnapshotTimes after = before.after(transaction.semantics, form, outcome, moment, tableReads);
      if (!after.equals(before)) {
        if (transaction.semantics.snapshot() == Snapshot.FIRST_READ
            && mayReadNothing(world, form)) {
          worlds.add(world.copy());
        }
        world.snapshots.put(transaction, after);
      }
    }
  }

  /**
   * True if a query may be answered without reading a table, as with a condition that is always
   * false: InnoDB then takes no snapshot.
   */
  private boolean mayReadNothing(World world, StatementForm form) throws SQLException {
    if (form.wholeTable().isPresent()) {
      return false;
    }
    View committed = world.versions.view((table, version) -> version.writer().isCommitted());
    ViewExecutor.Outcome plan = query("EXPLAIN " + form.sql(), committed);
    return plan.error().isPresent()
        || plan.rows().stream()
            .flatMap(List::stream)
            .anyMatch(cell -> cell instanceof String text && READS_NOTHING.matcher(text).find());
  }

  private void savepoint(World world, OpenTransaction transaction, StatementForm form) {
    Map<String, Integer> savepoints =
        world.savepoints.computeIfAbsent(transaction, first -> new HashMap<>());
    switch (form.savepointAction()) {
      case SET -> savepoints.put(form.savepointName(), world.versions.savepoint());
      case ROLL_BACK ->
          world.versions.rollBack(
              transaction.writer, savepoints.getOrDefault(form.savepointName(), 0));
      case RELEASE -> {}
    }
  }

  private PossibleViews.Reader reader(
      World world, OpenTransaction transaction, StatementForm form, StepOutcome outcome) {
    return new PossibleViews.Reader(
        world, transaction, outcome, form, executor.tableNamed(form.table()));
  }

  private List<World> afterQuery(
      World world, OpenTransaction transaction, StatementForm form, StepOutcome outcome)
      throws SQLException {
    boolean mayHaveNoSnapshot =
        transaction.semantics.reads() == Visibility.SNAPSHOT
            && transaction.semantics.snapshot() != Snapshot.FIRST_READ_OF_TABLE
            && world.snapshot(transaction).ofAll() == SnapshotTimes.NONE;
    if (mayHaveNoSnapshot) {
      ViewExecutor.Outcome ofNoRow = query(form.sql(), new View(Map.of()));
      return gives(outcome, ofNoRow) ? List.of(world) : List.of();
    }
    List<String> withMaximum = withSmallerMaximum(world, transaction, outcome, form.sql());
    for (View view : views.of(reader(world, transaction, form, outcome))) {
      ViewExecutor.Outcome result = query(form.sql(), view);
      if (gives(outcome, result)
          && mayCompleteUnblocked(world, transaction, form, result)
          && (!transaction.semantics.plainReadsLock()
              || !transaction.explicit
              || passesCheckOfSnapshot(world, transaction, form, result))) {
        return List.of(world);
      }
      for (String sql : withMaximum) {
        if (gives(outcome, query(sql, view))) {
          return List.of(world);
        }
      }
    }
    return List.of();
  }

  /** False if a query that locks the rows it reads depends on uncommitted changes of others. */
  private boolean mayCompleteUnblocked(
      World world, OpenTransaction transaction, StatementForm form, ViewExecutor.Outcome result)
      throws SQLException {
    if (!transaction.semantics.plainReadsLock() || !transaction.explicit) {
      return true;
    }
    View dirty = world.versions.view((table, version) -> true);
    ViewExecutor.Outcome ofDirty = query(form.sql(), dirty);
    return ofDirty.error().isPresent() || bags.areEqual(ofDirty.rows(), result.rows());
  }

  /** False if a query must fail because the rows that it locks differ from its snapshot. */
  private boolean passesCheckOfSnapshot(
      World world, OpenTransaction transaction, StatementForm form, ViewExecutor.Outcome result)
      throws SQLException {
    int snapshot = world.snapshot(transaction).ofAll();
    if (!transaction.semantics.checksLocksAgainstSnapshot()
        || snapshot == SnapshotTimes.NONE
        || mechanism == Mechanism.UNCHECKED_INDEX_LOCK) {
      return true;
    }
    View seen =
        world.versions.view(
            (table, version) ->
                version.writer() == transaction.writer
                    || version.writer().isCommittedBefore(snapshot));
    ViewExecutor.Outcome ofSnapshot = query(form.sql(), seen);
    return ofSnapshot.error().isPresent() || bags.areEqual(ofSnapshot.rows(), result.rows());
  }

  private List<World> afterLockingQuery(
      World world, OpenTransaction transaction, StatementForm form, StepOutcome outcome)
      throws SQLException {
    PossibleViews.Reader reader = reader(world, transaction, form, outcome);
    Optional<String> locked = form.lockedRowsQuery(AugmentedTables.ROW);
    for (View possible : views.of(reader)) {
      View view = possible;
      Set<Long> rows = Set.of();
      if (locked.isPresent() && reader.target().isPresent()) {
        String table = reader.target().get();
        Set<Long> found = numbers(locked.get(), view);
        view = recheck(reader, view, Map.of(table, found));
        rows = keepsVersionsOfLockedRows(reader) ? found : numbers(locked.get(), view);
        if (!form.locksShared() && !mayTouch(reader, view, Map.of(table, rows))) {
          continue;
        }
      }
      ViewExecutor.Outcome result = query(form.sql(), view);
      if ((gives(outcome, result) && passesCheckOfSnapshot(world, transaction, form, result))
          || givesWithOneRowTwice(reader, view, rows, result)) {
        return List.of(withLocked(world, reader, rows));
      }
    }
    return List.of();
  }

  /**
   * H2 stores a version for a row that a query locks: it counts as written for its MAX, and, before
   * 2.0, is what the transaction reads from then on.
   */
  private World withLocked(World world, PossibleViews.Reader reader, Set<Long> rows) {
    boolean storesVersion =
        mechanism == Mechanism.SMALLER_MAXIMUM || keepsVersionsOfLockedRows(reader);
    if (!storesVersion || rows.isEmpty()) {
      return world;
    }
    World after = world.copy();
    storeLocked(after, reader, reader.target().orElseThrow(), rows);
    return after;
  }

  private boolean keepsVersionsOfLockedRows(PossibleViews.Reader reader) {
    return mechanism == Mechanism.NEWER_VERSION_READ_AFTER_LOCK
        && mechanism.occursAt(reader.transaction().level);
  }

  /** Makes the current versions of rows versions of the transaction. */
  private static void storeLocked(
      World world, PossibleViews.Reader reader, String table, Set<Long> rows) {
    for (long row : rows) {
      world.versions.write(
          table,
          row,
          PossibleViews.current(world, reader.transaction(), table, row),
          reader.transaction().writer);
    }
  }

  private boolean givesWithOneRowTwice(
      PossibleViews.Reader reader, View view, Set<Long> rows, ViewExecutor.Outcome result)
      throws SQLException {
    if (mechanism != Mechanism.ROW_TWICE
        || !reader.outcome().blocked()
        || reader.target().isEmpty()
        || result.error().isPresent()) {
      return false;
    }
    for (long row : rows) {
      ViewExecutor.Outcome again =
          query(reader.form().sql(), only(view, reader.target().get(), row));
      List<List<@Nullable Object>> both = new ArrayList<>(result.rows());
      both.addAll(again.rows());
      if (again.error().isEmpty() && bags.areEqual(reader.outcome().rows(), both)) {
        return true;
      }
    }
    return false;
  }

  private static View only(View view, String table, long row) {
    Map<String, TreeMap<Long, List<@Nullable Object>>> tables = new HashMap<>(view.tables());
    TreeMap<Long, List<@Nullable Object>> one = new TreeMap<>();
    List<@Nullable Object> data = view.rows(table).get(row);
    if (data != null) {
      one.put(row, data);
    }
    tables.put(table, one);
    return new View(tables);
  }

  private List<World> afterError(
      World world, OpenTransaction transaction, StatementForm form, StepOutcome outcome)
      throws SQLException {
    PossibleViews.Reader reader = reader(world, transaction, form, outcome);
    for (View view : views.of(reader)) {
      ViewExecutor.Outcome result = execute(reader, form.sql(), view);
      if (givesError(outcome, result)) {
        return List.of(world);
      }
      if (form.isWrite()) {
        View rechecked = recheck(reader, view, chosen(reader, view, result));
        if ((!rechecked.equals(view) && givesError(outcome, execute(reader, form.sql(), rechecked)))
            || (result.error().isEmpty() && givesError(outcome, keyCheck(reader, view, result)))) {
          return List.of(world);
        }
      }
    }
    return List.of();
  }

  /**
   * The outcome of storing the rows that a write inserts or changes beside the current rows: a
   * statement that reads older rows has its keys checked against these.
   */
  private ViewExecutor.Outcome keyCheck(
      PossibleViews.Reader reader, View view, ViewExecutor.Outcome result) throws SQLException {
    World world = reader.world();
    Map<String, Set<Long>> touched = executor.touched(view, result);
    Map<String, TreeMap<Long, List<@Nullable Object>>> tables = new HashMap<>();
    for (String table : world.versions.tables()) {
      TreeMap<Long, List<@Nullable Object>> rows = new TreeMap<>();
      for (long row : world.versions.rows(table).keySet()) {
        List<@Nullable Object> data =
            touched.getOrDefault(table, Set.of()).contains(row)
                ? result.after().getOrDefault(table, new TreeMap<>()).get(row)
                : PossibleViews.current(world, reader.transaction(), table, row);
        if (data != null) {
          rows.put(row, data);
        }
      }
      for (List<@Nullable Object> inserted : result.inserted().getOrDefault(table, List.of())) {
        rows.put(-rows.size() - 1L, inserted);
      }
      tables.put(table, rows);
    }
    try {
      return executor.query("SELECT 1", new View(tables));
    } catch (ViewExecutor.BrokenViewException e) {
      return ViewExecutor.Outcome.failed(e);
    }
  }

  private static boolean givesError(StepOutcome outcome, ViewExecutor.Outcome result) {
    return result
        .error()
        .filter(error -> error.sqlState().equals(outcome.sqlState()))
        .filter(error -> error.vendorCode() == outcome.vendorCode())
        .isPresent();
  }

  private ViewExecutor.Outcome execute(PossibleViews.Reader reader, String sql, View view)
      throws SQLException {
    return reader.form().isWrite() && reader.target().isPresent()
        ? write(sql, view, reader.target().get())
        : query(sql, view);
  }

  private List<World> afterWrite(
      World world, OpenTransaction transaction, StatementForm form, StepOutcome outcome)
      throws SQLException, EarlyVerdictException {
    PossibleViews.Reader reader =
        reader(withPartialWrites(world, outcome), transaction, form, outcome);
    if (reader.target().isEmpty()) {
      throw notExplained(outcome, "no table '" + form.table() + "'");
    }
    String table = reader.target().get();
    String marked = executor.adapt(form, form.withTouchedMark(AugmentedTables.TOUCHED));
    List<String> texts = new ArrayList<>(List.of(marked));
    texts.addAll(withSmallerMaximum(world, transaction, outcome, marked));
    List<World> next = new ArrayList<>();
    for (View possible : views.of(reader)) {
      for (String sql : texts) {
        View view = possible;
        ViewExecutor.Outcome result = write(sql, view, table);
        Map<String, Set<Long>> chosen = chosen(reader, view, result);
        View rechecked = recheck(reader, view, chosen);
        if (!rechecked.equals(view)) {
          view = rechecked;
          result = write(sql, view, table);
        }
        if (result.error().isEmpty()) {
          addAfter(next, reader, view, result, chosen);
          if (mechanism == Mechanism.ROW_TWICE && outcome.blocked()) {
            addAfterTwice(next, reader, view, result, sql, table);
          }
        }
      }
    }
    return next;
  }

  /** The world with what statements that are blocked may have written so far. */
  private World withPartialWrites(World world, StepOutcome outcome) throws SQLException {
    if (mechanism != Mechanism.DIRTY_TARGET) {
      return world;
    }
    World with = world.copy();
    View committed = world.versions.view((table, version) -> version.writer().isCommitted());
    for (StepOutcome peer : timeline.partiallyExecutedPeers(outcome)) {
      StatementForm form = StatementForm.of(peer.step().sql());
      Optional<String> target = executor.tableNamed(form.table());
      if (form.isWrite() && target.isPresent()) {
        ViewExecutor.Outcome result =
            write(
                executor.adapt(form, form.withTouchedMark(AugmentedTables.TOUCHED)),
                committed,
                target.get());
        executor
            .touched(committed, result)
            .forEach(
                (table, rows) -> {
                  TreeMap<Long, List<@Nullable Object>> after =
                      result.after().getOrDefault(table, new TreeMap<>());
                  rows.forEach(row -> with.undone.add(undone(table, row, after.get(row))));
                });
      }
    }
    return with;
  }

  /** Adds the state after a write, if it has the observed count and may touch its rows. */
  private void addAfter(
      List<World> next,
      PossibleViews.Reader reader,
      View view,
      ViewExecutor.Outcome result,
      Map<String, Set<Long>> chosen)
      throws SQLException {
    StepOutcome outcome = reader.outcome();
    Map<String, Set<Long>> touched = executor.touched(view, result);
    boolean sameCount =
        reader.form().kind() == StatementForm.Kind.UPSERT
            || outcome.isQuery()
            || result.count() == outcome.updateCount();
    if (!sameCount
        || (outcome.isQuery() && !bags.areEqual(outcome.rows(), result.rows()))
        || !mayTouch(reader, view, touched)
        || !references.exist(view, result, current(reader))) {
      return;
    }
    World after = reader.world().copy();
    if (mechanism == Mechanism.SNAPSHOT_BESIDE_CURRENT_READ
        && replacesByEqualRows(reader, view, result)) {
      next.add(reader.world().copy());
    }
    if (keepsVersionsOfLockedRows(reader)) {
      chosen.forEach((table, rows) -> storeLocked(after, reader, table, rows));
    }
    after.versions.record(reader.transaction().writer, result, touched);
    if (mechanism == Mechanism.STALE_CHILD_INDEX && hasWaited(outcome)) {
      touched.forEach(
          (table, rows) -> {
            if (!reader.writes(table)) {
              rows.forEach(row -> after.stale.add(new World.RowId(table, row)));
            }
          });
    }
    next.add(after);
  }

  /** The current rows of all tables. */
  private static View current(PossibleViews.Reader reader) {
    return reader
        .world()
        .versions
        .view(
            (table, version) ->
                version.writer() == reader.transaction().writer || version.writer().isCommitted());
  }

  /** True if a REPLACE changed nothing: InnoDB then writes no version. */
  private static boolean replacesByEqualRows(
      PossibleViews.Reader reader, View view, ViewExecutor.Outcome result) {
    if (reader.form().kind() != StatementForm.Kind.UPSERT) {
      return false;
    }
    String table = reader.target().orElseThrow();
    List<List<@Nullable Object>> replaced = new ArrayList<>();
    view.rows(table)
        .forEach(
            (row, data) -> {
              if (!result.after().getOrDefault(table, new TreeMap<>()).containsKey(row)) {
                replaced.add(data);
              }
            });
    List<List<@Nullable Object>> inserted = result.inserted().getOrDefault(table, List.of());
    return inserted.size() == reader.outcome().updateCount()
        && inserted.size() == replaced.size()
        && replaced.containsAll(inserted)
        && inserted.containsAll(replaced);
  }

  /** A deadlock victim has blocked another session, even if no poll has seen it. */
  private boolean hasWaited(StepOutcome outcome) {
    return outcome.blocked()
        || execution.outcomes().stream()
            .map(StepOutcome::failure)
            .anyMatch(failure -> failure != null && failure.kind() == Failure.Kind.DEADLOCK);
  }

  /** Adds the states after a write that processed one of its rows a second time. */
  private void addAfterTwice(
      List<World> next,
      PossibleViews.Reader reader,
      View view,
      ViewExecutor.Outcome first,
      String sql,
      String table)
      throws SQLException {
    for (long row : executor.touched(view, first).getOrDefault(table, Set.of())) {
      ViewExecutor.Outcome second = write(sql, only(new View(first.after()), table, row), table);
      if (second.error().isPresent()) {
        continue;
      }
      Map<String, TreeMap<Long, List<@Nullable Object>>> after = new HashMap<>(first.after());
      TreeMap<Long, List<@Nullable Object>> rows = new TreeMap<>(after.get(table));
      List<@Nullable Object> data = second.after().getOrDefault(table, new TreeMap<>()).get(row);
      if (data == null) {
        rows.remove(row);
      } else {
        rows.put(row, data);
      }
      after.put(table, rows);
      addAfter(
          next,
          reader,
          view,
          new ViewExecutor.Outcome(
              Optional.empty(),
              first.count() + second.count(),
              first.rows(),
              first.updated(),
              after,
              first.inserted()),
          executor.touched(view, first));
    }
  }

  /** The rows that a write chose; all of its table if it failed before it could show them. */
  private Map<String, Set<Long>> chosen(
      PossibleViews.Reader reader, View view, ViewExecutor.Outcome result) {
    return result.error().isEmpty() || reader.target().isEmpty()
        ? executor.touched(view, result)
        : Map.of(reader.target().get(), Set.copyOf(view.rows(reader.target().get()).keySet()));
  }

  /**
   * The view of a statement with the current versions of the rows that it chose, if it reads these
   * again.
   */
  private View recheck(PossibleViews.Reader reader, View view, Map<String, Set<Long>> chosen) {
    boolean rechecks =
        reader.transaction().semantics.writes() == Visibility.RECHECKED
            && reader.outcome().blocked();
    boolean writesNewer =
        mechanism.writesNewerVersions() && mechanism.occursAt(reader.transaction().level);
    if ((!rechecks && !writesNewer) || reader.form().kind() == StatementForm.Kind.UPSERT) {
      return view;
    }
    Map<String, TreeMap<Long, List<@Nullable Object>>> tables = new HashMap<>(view.tables());
    chosen.forEach(
        (table, rows) -> {
          TreeMap<Long, List<@Nullable Object>> current = new TreeMap<>(view.rows(table));
          for (long row : rows) {
            List<@Nullable Object> data =
                PossibleViews.current(reader.world(), reader.transaction(), table, row);
            if (data == null) {
              current.remove(row);
            } else {
              current.put(row, data);
            }
          }
          tables.put(table, current);
        });
    return new View(tables);
  }

  /**
   * True if a statement may write or lock these rows: it saw their current versions, and no other
   * open transaction has changed them.
   */
  private boolean mayTouch(PossibleViews.Reader reader, View view, Map<String, Set<Long>> touched) {
    World world = reader.world();
    for (Map.Entry<String, Set<Long>> rows : touched.entrySet()) {
      for (long row : rows.getValue()) {
        String table = rows.getKey();
        if (world.stale.contains(new World.RowId(table, row))) {
          continue;
        }
        Version newest = world.versions.newest(table, row).orElseThrow();
        boolean isLocked =
            newest.writer() != reader.transaction().writer
                && !newest.writer().isCommitted()
                && !timeline.isDeadlockVictimPending();
        List<@Nullable Object> current =
            PossibleViews.current(world, reader.transaction(), table, row);
        if (isLocked || !Objects.equals(current, view.rows(table).get(row))) {
          return false;
        }
      }
    }
    return true;
  }

  private boolean gives(StepOutcome outcome, ViewExecutor.Outcome result) {
    return result.error().isEmpty() && bags.areEqual(outcome.rows(), result.rows());
  }

  /** A query on a view; an error if no table can have the view's rows. */
  private ViewExecutor.Outcome query(String sql, View view) throws SQLException {
    try {
      return executor.query(sql, view);
    } catch (ViewExecutor.BrokenViewException e) {
      return orphans.query(sql, view).orElse(ViewExecutor.Outcome.failed(e));
    }
  }

  private Set<Long> numbers(String sql, View view) throws SQLException {
    try {
      return executor.numbers(sql, view);
    } catch (ViewExecutor.BrokenViewException e) {
      return orphans.numbers(sql, view).orElseThrow(() -> e);
    }
  }

  private ViewExecutor.Outcome write(String sql, View view, String table) throws SQLException {
    try {
      return executor.write(sql, view, table);
    } catch (ViewExecutor.BrokenViewException e) {
      return orphans.write(sql, view, table).orElse(ViewExecutor.Outcome.failed(e));
    }
  }

  // A smaller MAX.

  /** The statement with a MAX that the mechanism gives, if it reads one of a written table. */
  private List<String> withSmallerMaximum(
      World world, OpenTransaction transaction, StepOutcome outcome, String sql)
      throws SQLException {
    List<String> texts = new ArrayList<>();
    if (mechanism == Mechanism.SMALLER_MAXIMUM) {
      for (GreatestKey greatest : GreatestKey.in(sql)) {
        for (Object value : smallerMaximums(world, transaction, outcome, greatest)) {
          texts.add(greatest.replacedIn(sql, value));
        }
      }
    }
    return texts;
  }

  private Set<Object> smallerMaximums(
      World world, OpenTransaction transaction, StepOutcome outcome, GreatestKey greatest)
      throws SQLException {
    Optional<String> table = executor.tableNamed(greatest.table());
    int begin = timeline.begin(outcome);
    SnapshotTimes times = world.snapshot(transaction);
    View snapshot =
        world.versions.view(
            (name, version) ->
                version
                    .writer()
                    .isCommittedBefore(
                        times.of(name) == SnapshotTimes.NONE ? begin : times.of(name)));
    if (table.isEmpty()) {
      return Set.of();
    }
    int column = executor.columnIndex(table.get(), greatest.plainColumn());
    if (column < 0) {
      return Set.of();
    }
    List<Object> ofSnapshot = new ArrayList<>();
    for (List<@Nullable Object> row : snapshot.rows(table.get()).values()) {
      Optional.ofNullable(Values.value(row.get(column))).ifPresent(ofSnapshot::add);
    }
    View own = world.versions.view((name, version) -> version.writer() == transaction.writer);
    Set<Object> values = new LinkedHashSet<>();
    for (boolean includesUnchanged : includesUnchanged(table.get(), column)) {
      Optional<Object> first =
          OwnKeys.of(
                  world.versions.rows(table.get()), transaction.writer, column, includesUnchanged)
              .firstBehind(ofSnapshot, MechanismReplay::compare);
      if (first.isPresent()) {
        values.add(first.get());
        values.addAll(valuesNow(column, table.get(), first.get(), snapshot, own));
      }
    }
    return values;
  }

  /**
   * H2 stores rows, also those that are only locked, by the integer primary key. Any other index
   * gets an entry only if one of its columns changes, which may be another one than that of MAX.
   */
  private List<Boolean> includesUnchanged(String table, int column) {
    boolean isKeyOfRows =
        executor
            .keys()
            .integerPrimaryKey(table)
            .filter(key -> executor.columnIndex(table, key) == column)
            .isPresent();
    return isKeyOfRows ? List.of(true) : List.of(true, false);
  }

  /** What the transaction has written since to the rows with the greatest value of the snapshot. */
  private static List<Object> valuesNow(
      int column, String table, Object maximum, View snapshot, View own) throws SQLException {
    List<Object> values = new ArrayList<>();
    for (Map.Entry<Long, List<@Nullable Object>> row : snapshot.rows(table).entrySet()) {
      Object before = Values.value(row.getValue().get(column));
      List<@Nullable Object> now = own.rows(table).get(row.getKey());
      if (before != null && now != null && compare(before, maximum) == 0) {
        Optional.ofNullable(Values.value(now.get(column))).ifPresent(values::add);
      }
    }
    return values;
  }

  private static int compare(Object one, Object other) {
    return one instanceof BigDecimal number && other instanceof BigDecimal than
        ? number.compareTo(than)
        : Values.text(one).compareTo(Values.text(other));
  }

  @Override
  void compareFinalState() throws SQLException, EarlyVerdictException {
    for (StepOutcome read : execution.finalReads()) {
      StatementForm form = StatementForm.of(read.step().sql());
      if (form.dependsOnRowOrder() || (!executor.isHidden() && form.dependsOnColumnCount())) {
        continue;
      }
      List<World> next = new ArrayList<>();
      for (World world : worlds) {
        for (View view : views.ofFinalState(world)) {
          if (isFinalState(form, read, view)) {
            next.add(world);
            break;
          }
        }
      }
      worlds = next;
    }
    if (worlds.isEmpty()) {
      throw new EarlyVerdictException(Result.UNDECIDED, "the final state", Optional.empty());
    }
  }

  /** Compares a table as a whole without loading it: its rows may violate a foreign key. */
  private boolean isFinalState(StatementForm form, StepOutcome read, View view)
      throws SQLException {
    Optional<String> table = form.wholeTable().flatMap(executor::tableNamed);
    if (table.isEmpty()) {
      return gives(read, query(form.sql(), view));
    }
    List<List<@Nullable Object>> rows = new ArrayList<>();
    for (List<@Nullable Object> row : view.rows(table.get()).values()) {
      List<@Nullable Object> values = new ArrayList<>();
      for (Object value : row) {
        values.add(Values.value(value));
      }
      rows.add(values);
    }
    return bags.areEqual(read.rows(), rows);
  }
}
