package io.txwatch.campaign;

import static org.assertj.core.api.Assertions.assertThat;

import io.txwatch.campaign.WeightLearner.Observation;
import io.txwatch.generator.Weights;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Random;
import java.util.Set;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.Combinators;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;
import net.jqwik.api.constraints.IntRange;

/** What weights are learnt from which observations. */
class WeightLearnerProperties {

  private static final int BATCH = 512;

  @Property(tries = 200)
  void weightsAreBoundedWhateverIsObserved(@ForAll("batches") List<List<Observation>> batches) {
    WeightLearner learner = WeightLearner.NOTHING;
    for (List<Observation> batch : batches) {
      learner = learner.after(batch);
      assertThat(learner.weights().raised().values())
          .allSatisfy(weight -> assertThat(weight).isBetween(2, Weights.MAX));
    }
  }

  @Property(tries = 200)
  void theOrderWithinABatchDoesNotMatter(
      @ForAll("batch") List<Observation> batch, @ForAll Random random) {
    List<Observation> shuffled = new ArrayList<>(batch);
    java.util.Collections.shuffle(shuffled, random);

    assertThat(WeightLearner.NOTHING.after(shuffled).weights())
        .isEqualTo(WeightLearner.NOTHING.after(batch).weights());
  }

  /** One of the cases in {@code interval} has "rich", which is new; few others are. */
  @Property(tries = 50)
  void aProductionThatBringsNoveltyRisesAndReturnsWhenItBringsNoneAnyMore(
      @ForAll @IntRange(min = 4, max = 25) int interval, @ForAll NoveltyKind kind) {
    WeightLearner learner = WeightLearner.NOTHING.after(batch(interval, Set.of(kind), kind));

    assertThat(learner.weights().of("rich")).isGreaterThan(1);
    assertThat(learner.weights().of("poor")).isEqualTo(1);

    for (int i = 0; i < 20; i++) {
      learner = learner.after(batch(interval, Set.of(), kind));
    }
    assertThat(learner.weights()).isEqualTo(Weights.FIXED);
  }

  private static List<Observation> batch(
      int interval, Set<NoveltyKind> ofRich, NoveltyKind ofFewOthers) {
    List<Observation> batch = new ArrayList<>();
    for (int i = 0; i < BATCH; i++) {
      boolean isRich = i % interval == 0;
      boolean isNew = i % 50 == 1;
      batch.add(
          new Observation(
              isRich ? Set.of("rich") : Set.of("poor"),
              isRich ? ofRich : isNew ? EnumSet.of(ofFewOthers) : Set.of()));
    }
    return batch;
  }

  @Property(tries = 50)
  void whatAllCasesBringRaisesNothing(@ForAll NoveltyKind kind) {
    List<Observation> batch = new ArrayList<>();
    for (int i = 0; i < BATCH; i++) {
      batch.add(new Observation(Set.of("a", "b" + i % 7), Set.of(kind)));
    }
    assertThat(WeightLearner.NOTHING.after(batch).weights()).isEqualTo(Weights.FIXED);
  }

  @Provide
  Arbitrary<List<List<Observation>>> batches() {
    return batch().list().ofMaxSize(6);
  }

  @Provide
  Arbitrary<List<Observation>> batch() {
    return Combinators.combine(
            Arbitraries.of("a", "b", "c", "d", "e").set().ofMaxSize(5),
            Arbitraries.of(NoveltyKind.class).set().ofMaxSize(4))
        .as(Observation::new)
        .list()
        .ofMaxSize(60);
  }
}
