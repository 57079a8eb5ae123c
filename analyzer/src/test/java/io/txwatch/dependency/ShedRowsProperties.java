package io.txwatch.dependency;

import static org.assertj.core.api.Assertions.assertThat;

import io.txwatch.dependency.Simulation.Mode;
import io.txwatch.history.Event;
import io.txwatch.history.RowShare;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;

/** What is inferred while a share of the rows is observed, compared with what all rows give. */
class ShedRowsProperties implements SimulatedModes {

  private static final int ROWS = 6;
  private static final String TABLE = "t";

  /** Of the rows of the share everything is inferred, and of the others nothing. */
  @Property(tries = 500)
  void constantShareGivesWhatAllRowsGiveForItsRows(
      @ForAll("modes") Mode mode,
      @ForAll long seed,
      @ForAll @IntRange(min = 2, max = 16) int transactions,
      @ForAll @IntRange(min = 1, max = 5) int overloads,
      @ForAll boolean columns) {
    Random random = new Random(seed);
    List<Event> history = history(mode, random, transactions, columns);
    List<Event> events = ShedHistory.of(history, overloads);
    RowShare share = ShedHistory.share(events);
    DependencyRecorder all = new DependencyRecorder(history);
    DependencyRecorder shed = new DependencyRecorder(Interleavings.reordered(events, random));
    assertThat(shed.all).isEqualTo(ofShare(all.all, share));
    assertThat(shed.others).isEqualTo(ofShare(all.others, share));
  }

  /** However the share changes, each dependency and wrong read exists in the whole history. */
  @Property(tries = 1000)
  void changingShareGivesNothingElse(
      @ForAll("modes") Mode mode,
      @ForAll long seed,
      @ForAll @IntRange(min = 2, max = 24) int transactions,
      @ForAll @IntRange(min = 2, max = 40) int eventsPerChange,
      @ForAll boolean columns) {
    Random random = new Random(seed);
    List<Event> history = history(mode, random, transactions, columns);
    DependencyRecorder all = new DependencyRecorder(history);
    DependencyRecorder shed =
        new DependencyRecorder(
            Interleavings.reordered(ShedHistory.of(history, random, eventsPerChange), random));
    assertThat(all.all).containsAll(shed.all);
    assertThat(all.others).containsAll(shed.others);
  }

  /**
   * The same where the DBMS gives the ids, except for the kind: a transaction may read its own
   * unobserved write, as if another had written it. Without dirty reads, as in {@link
   * InferenceProperties}.
   */
  @Property(tries = 500)
  void changingShareGivesNoOtherTransactions(
      @ForAll("modesWithoutDirtyReads") Mode mode,
      @ForAll long seed,
      @ForAll @IntRange(min = 2, max = 24) int transactions,
      @ForAll @IntRange(min = 2, max = 40) int eventsPerChange) {
    Random random = new Random(seed);
    List<Event> history = IdsByDbms.of(history(mode, random, transactions, false));
    DependencyRecorder all = new DependencyRecorder(history);
    DependencyRecorder shed =
        new DependencyRecorder(
            Interleavings.reordered(ShedHistory.of(history, random, eventsPerChange), random));
    assertThat(pairs(all)).containsAll(pairs(shed));
    assertThat(all.others).containsAll(shed.others);
  }

  private static Set<String> pairs(DependencyRecorder inferred) {
    return inferred.all.stream()
        .map(text -> text.replaceAll("^[a-z]+ |\\.[0-9]+", ""))
        .collect(Collectors.toCollection(TreeSet::new));
  }

  private static List<Event> history(Mode mode, Random random, int transactions, boolean columns) {
    List<Event> history = Simulation.run(mode, random, 5, transactions, ROWS, false);
    return columns ? ColumnReference.withColumns(history, random) : history;
  }

  private static Set<String> ofShare(Set<String> texts, RowShare share) {
    return texts.stream()
        .filter(
            text ->
                share.contains(TABLE, Long.parseLong(text.substring(text.lastIndexOf(' ') + 1))))
        .collect(Collectors.toCollection(TreeSet::new));
  }
}
