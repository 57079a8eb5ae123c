package io.txwatch.dependency;

import static org.assertj.core.api.Assertions.assertThat;

import io.txwatch.dependency.Simulation.Mode;
import io.txwatch.history.Database;
import io.txwatch.history.Event;
import io.txwatch.history.Product;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.TreeSet;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;
import net.jqwik.api.constraints.IntRange;

/** Properties of the dependencies of every history. */
class InferenceProperties {

  @Property
  void incrementalInferenceEqualsNaiveInference(
      @ForAll Mode mode,
      @ForAll long seed,
      @ForAll @IntRange(min = 1, max = 4) int rows,
      @ForAll @IntRange(min = 1, max = 14) int transactions) {
    List<Event> history = Simulation.run(mode, new Random(seed), 3, transactions, rows, false);
    NaiveReference reference = new NaiveReference(history);
    DependencyRecorder inferred = new DependencyRecorder(history);
    assertThat(soundRows(inferred, reference)).isEqualTo(reference.ofSoundRows());
    assertThat(inferred.contradictions).isEqualTo(reference.forkedAtTheRoot().size());
  }

  @Property
  void dependenciesDoNotDependOnArrivalOrder(
      @ForAll Mode mode,
      @ForAll long seed,
      @ForAll @IntRange(min = 1, max = 3) int rows,
      @ForAll @IntRange(min = 2, max = 12) int transactions) {
    Random random = new Random(seed);
    List<Event> history = Simulation.run(mode, random, 4, transactions, rows, false);
    NaiveReference reference = new NaiveReference(history);
    DependencyRecorder inOrder = new DependencyRecorder(history);
    DependencyRecorder otherwise = new DependencyRecorder(Interleavings.reordered(history, random));
    assertThat(soundRows(otherwise, reference)).isEqualTo(reference.ofSoundRows());
    if (mode != Mode.BROKEN) {
      assertThat(otherwise.others).isEqualTo(inOrder.others);
    }
  }

  @Property
  void lostEventCreatesNoDependency(
      @ForAll Mode mode,
      @ForAll long seed,
      @ForAll @IntRange(min = 1, max = 3) int rows,
      @ForAll @IntRange(min = 1, max = 8) int transactions) {
    List<Event> history = Simulation.run(mode, new Random(seed), 3, transactions, rows, false);
    NaiveReference truth = new NaiveReference(history);
    DependencyRecorder whole = new DependencyRecorder(history);
    for (int lost = 0; lost < history.size(); lost++) {
      List<Event> rest = new ArrayList<>(history);
      rest.remove(lost);
      DependencyRecorder inferred = new DependencyRecorder(rest);
      assertThat(truth.all()).as("without %s", history.get(lost)).containsAll(inferred.all);
      if (mode != Mode.BROKEN) {
        assertThat(whole.others).as("without %s", history.get(lost)).containsAll(inferred.others);
      }
    }
  }

  /**
   * With ids that identify only transactions, the dependencies between transactions are the same,
   * but the versions of a row by one transaction cannot be distinguished.
   */
  @Property
  void idsGivenByTheDbmsShowTheSameDependencies(
      @ForAll("modes") Mode mode,
      @ForAll long seed,
      @ForAll @IntRange(min = 1, max = 3) int rows,
      @ForAll @IntRange(min = 1, max = 14) int transactions) {
    Random random = new Random(seed);
    List<Event> history = Simulation.run(mode, random, 4, transactions, rows, false);
    DependencyRecorder expected = new DependencyRecorder(history);
    for (List<Event> events : identifiedByTheDbms(history, random)) {
      DependencyRecorder inferred = new DependencyRecorder(events);
      assertThat(pairs(inferred)).isSubsetOf(pairs(expected));
      assertThat(inferred.others).isSubsetOf(expected.others);
      assertThat(inferred.contradictions).isZero();
      if (allWritesSeen(history)) {
        assertThat(betweenTransactions(inferred)).isEqualTo(betweenTransactions(expected));
      }
    }
  }

  /** A history with ids that identify only transactions, in two orders. */
  private static List<List<Event>> identifiedByTheDbms(List<Event> history, Random random) {
    List<Event> byId = IdsByDbms.of(history);
    return List.of(byId, Interleavings.reordered(byId, random));
  }

  /** Where ids may recur, what a transaction's own statements returned is enough. */
  @Property
  void recurringIdsHideOnlyWhatWasNotReturned(
      @ForAll("modes") Mode mode,
      @ForAll long seed,
      @ForAll @IntRange(min = 1, max = 3) int rows,
      @ForAll @IntRange(min = 1, max = 14) int transactions) {
    Random random = new Random(seed);
    List<Event> history = Simulation.run(mode, random, 4, transactions, rows, false);
    DependencyRecorder expected = new DependencyRecorder(history);
    for (List<Event> events : identifiedByTheDbms(history, random)) {
      List<Event> recurring = new ArrayList<>(events);
      recurring.add(
          0,
          new Event.SessionOpened(
              99,
              "later",
              new Database(new Product("PostgreSQL", "18.6"), Map.of("xid_epoch", "1"))));
      DependencyRecorder inferred = new DependencyRecorder(recurring);
      assertThat(pairs(inferred)).isSubsetOf(pairs(expected));
      if (allWritesSeen(history)) {
        assertThat(betweenTransactions(inferred)).isEqualTo(betweenTransactions(expected));
      }
    }
  }

  /**
   * Ignores the kind: a transaction may read its own unobserved write, as if another had written
   * it.
   */
  private static Set<String> pairs(DependencyRecorder inferred) {
    Set<String> pairs = new TreeSet<>();
    betweenTransactions(inferred).forEach(t -> pairs.add(t.substring(t.indexOf(' '))));
    return pairs;
  }

  /** Otherwise writers' lists contain more than the last version shows. */
  private static boolean allWritesSeen(List<Event> history) {
    return history.stream()
        .allMatch(event -> !(event instanceof Event.StatementExecuted e) || e.writesSeen());
  }

  /** Without dirty reads: other transactions read only a transaction's last version of a row. */
  @Provide
  Arbitrary<Mode> modes() {
    return Arbitraries.of(Mode.SERIAL, Mode.READ_COMMITTED, Mode.SNAPSHOT);
  }

  private static Set<String> betweenTransactions(DependencyRecorder inferred) {
    Set<String> texts = new TreeSet<>();
    inferred.all.forEach(text -> texts.add(text.replaceAll("\\.\\d+", "")));
    return texts;
  }

  private static Set<String> soundRows(DependencyRecorder inferred, NaiveReference reference) {
    Set<String> sound = new TreeSet<>(inferred.all);
    sound.removeIf(
        text -> reference.forkedAtTheRoot().stream().anyMatch(row -> text.endsWith(" row " + row)));
    return sound;
  }
}
