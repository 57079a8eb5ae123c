package io.txwatch.oracle.troc;

import io.txwatch.dbms.Semantics.Visibility;
import io.txwatch.oracle.troc.ChangeHistory.Version;
import io.txwatch.oracle.troc.ChangeHistory.View;
import io.txwatch.schedule.StepOutcome;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.BiPredicate;
import org.jspecify.annotations.Nullable;

/** Resolves the views of statements (Troc, section III-E2). */
final class ViewResolver {

  private final ChangeHistory versions;
  private final Timeline timeline;

  ViewResolver(ChangeHistory versions, Timeline timeline) {
    this.versions = versions;
    this.timeline = timeline;
  }

  /** A predicate for the visible versions of a table's rows. */
  private BiPredicate<String, Version> visible(
      Visibility visibility, OpenTransaction transaction, StepOutcome outcome) {
    return (table, version) ->
        version.writer() == transaction.writer
            || switch (visibility) {
              case DIRTY -> true;
              case COMMITTED -> version.writer().isCommitted();
              case RECHECKED -> version.writer().isCommittedBefore(timeline.begin(outcome));
              case SNAPSHOT ->
                  version.writer().isCommittedBefore(moment(transaction.snapshot.of(table)));
            };
  }

  private int moment(int snapshot) {
    return snapshot == SnapshotTimes.NONE ? timeline.now() : snapshot;
  }

  /** The visible rows. */
  View view(Visibility visibility, OpenTransaction transaction, StepOutcome outcome) {
    return versions.view(visible(visibility, transaction, outcome));
  }

  /** A view with different visibility for the written table and for the others. */
  View view(
      Visibility ofTable,
      String table,
      Visibility ofOthers,
      OpenTransaction transaction,
      StepOutcome outcome) {
    BiPredicate<String, Version> own = visible(ofTable, transaction, outcome);
    BiPredicate<String, Version> others = visible(ofOthers, transaction, outcome);
    return versions.view(
        (name, version) -> (name.equals(table) ? own : others).test(name, version));
  }

  /**
   * The view of a statement that was blocked, with the current versions of the rows that it
   * selected; the same view if none of them was changed meanwhile, or if the level does not recheck
   * rows.
   */
  View recheck(
      StepOutcome outcome,
      StatementForm form,
      OpenTransaction transaction,
      View view,
      Map<String, Set<Long>> chosen)
      throws EarlyVerdictException {
    if (transaction.semantics.writes() != Visibility.RECHECKED || !outcome.blocked()) {
      return view;
    }
    BiPredicate<String, Version> atStart = visible(Visibility.RECHECKED, transaction, outcome);
    BiPredicate<String, Version> current = visible(Visibility.COMMITTED, transaction, outcome);
    Map<String, Set<Long>> changed = new HashMap<>();
    chosen.forEach(
        (table, rows) ->
            rows.forEach(
                row -> {
                  Optional<Version> before =
                      versions.newest(table, row, version -> atStart.test(table, version));
                  Optional<Version> after =
                      versions.newest(table, row, version -> current.test(table, version));
                  if (!before.equals(after)) {
                    changed.computeIfAbsent(table, first -> new HashSet<>()).add(row);
                  }
                }));
    if (form.kind() == StatementForm.Kind.UPSERT) {
      throw EarlyVerdictException.undecided(
          outcome, "it was blocked, and the rows that it then found are unknown");
    }
    if (changed.isEmpty()) {
      return view;
    }
    Map<String, TreeMap<Long, List<@Nullable Object>>> tables = new HashMap<>();
    view.tables().forEach((table, rows) -> tables.put(table, new TreeMap<>(rows)));
    changed.forEach(
        (table, rows) ->
            rows.forEach(
                row -> {
                  TreeMap<Long, List<@Nullable Object>> of =
                      Objects.requireNonNull(tables.get(table));
                  of.remove(row);
                  versions
                      .newest(table, row, version -> current.test(table, version))
                      .map(Version::data)
                      .ifPresent(data -> of.put(row, data));
                }));
    return new View(tables);
  }
}
