package io.txwatch.predict;

import io.txwatch.history.RecordedValue;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * An operation of a candidate, with the values that an execution of it uses.
 *
 * @param template the operation
 * @param sample the transaction that it repeats
 * @param origins of each value of each of its statements
 * @param replaced the arguments that are others than in the sample
 */
public record ProofInstance(
    OperationTemplate template,
    OperationSample sample,
    List<List<ValueOrigin>> origins,
    Map<Place, RecordedValue> replaced) {

  /**
   * A value of a sample.
   *
   * @param statement the index of the statement in the sample
   * @param index the index of the value in the statement
   */
  public record Place(int statement, int index) {}

  public ProofInstance {
    origins = origins.stream().map(List::copyOf).toList();
    replaced = Map.copyOf(replaced);
  }

  /** The value of a place as far as it is known before the execution. */
  public RecordedValue value(Place place) {
    Place root = root(place);
    RecordedValue other = replaced.get(root);
    return other != null ? other : observed(root);
  }

  /** The value of a place in the sample. */
  public RecordedValue observed(Place place) {
    return sample.statements().get(place.statement()).text().values().get(place.index()).value();
  }

  /** The first place that has the value of this one. */
  public Place root(Place place) {
    return origins.get(place.statement()).get(place.index()) instanceof ValueOrigin.Same same
        ? new Place(same.statement(), same.place())
        : place;
  }

  ValueOrigin rootOrigin(Place place) {
    Place root = root(place);
    return origins.get(root.statement()).get(root.index());
  }

  ProofInstance replacing(Map<Place, RecordedValue> others) {
    Map<Place, RecordedValue> all = new HashMap<>(replaced);
    all.putAll(others);
    return new ProofInstance(template, sample, origins, all);
  }
}
