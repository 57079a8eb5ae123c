package io.txwatch.dependency;

import static org.assertj.core.api.Assertions.assertThat;

import io.txwatch.dependency.Simulation.Mode;
import io.txwatch.history.Event;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.TreeSet;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;

/** What holds for the dependencies of every history. */
class InferenceProperties {

  @Property
  void incrementalIsTheSameAsNaive(
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
  void interleavingDoesNotMatter(
      @ForAll Mode mode,
      @ForAll long seed,
      @ForAll @IntRange(min = 1, max = 3) int rows,
      @ForAll @IntRange(min = 2, max = 12) int transactions) {
    Random random = new Random(seed);
    List<Event> history = Simulation.run(mode, random, 4, transactions, rows, false);
    NaiveReference reference = new NaiveReference(history);
    DependencyRecorder inOrder = new DependencyRecorder(history);
    DependencyRecorder otherwise = new DependencyRecorder(Interleavings.anew(history, random));
    assertThat(soundRows(otherwise, reference)).isEqualTo(reference.ofSoundRows());
    if (mode != Mode.BROKEN) {
      assertThat(otherwise.others).isEqualTo(inOrder.others);
    }
  }

  @Property(tries = 400)
  void aLostEventForgesNothing(
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

  private static Set<String> soundRows(DependencyRecorder inferred, NaiveReference reference) {
    Set<String> sound = new TreeSet<>(inferred.all);
    sound.removeIf(
        text -> reference.forkedAtTheRoot().stream().anyMatch(row -> text.endsWith(" row " + row)));
    return sound;
  }
}
