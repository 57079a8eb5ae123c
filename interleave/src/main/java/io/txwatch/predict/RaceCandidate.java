package io.txwatch.predict;

import io.txwatch.anomaly.CycleClass;
import io.txwatch.anomaly.Phenomenon;
import java.util.List;
import java.util.stream.Collectors;

/**
 * A cycle of dependencies that instances of operations may form: not proven until it is executed.
 *
 * @param phenomenon what it would be
 * @param cycleClass the class of the cycle
 * @param operations the instances in the order of the cycle, the one that is split, or precedes the
 *     pivot, first
 * @param conflicts the dependencies, in the same order
 * @param keys the keys that have to be equal. Between more than three instances a dependency needs
 *     its own alone
 */
public record RaceCandidate(
    Phenomenon phenomenon,
    CycleClass cycleClass,
    List<OperationTemplate> operations,
    List<TemplateConflict> conflicts,
    List<KeyEquality> keys) {

  public RaceCandidate {
    operations = List.copyOf(operations);
    conflicts = List.copyOf(conflicts);
    keys = List.copyOf(keys);
  }

  @Override
  public String toString() {
    return phenomenon.term()
        + ": "
        + operations.stream().map(OperationTemplate::toString).collect(Collectors.joining(" -> "));
  }
}
