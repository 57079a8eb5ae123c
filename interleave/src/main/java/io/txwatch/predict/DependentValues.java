package io.txwatch.predict;

import io.txwatch.history.RecordedArray;
import io.txwatch.history.RecordedValue;
import io.txwatch.predict.AlignedSamples.Aligned;
import io.txwatch.predict.ProofInstance.Place;
import io.txwatch.predict.ValueOrigin.Returned;
import io.txwatch.predict.ValuePlace.Use;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.stream.Stream;

/**
 * Values that an application has computed from a key that a proof replaces, so that it would have
 * computed others: the name {@code 'order-7'} of a lock for the row 7, or the number of a lock. An
 * execution that replaces the key alone is none of the application.
 */
public final class DependentValues {

  private final ProofInstance instance;
  private final AlignedSamples alike;

  private DependentValues(ProofInstance instance, List<OperationSample> samples) {
    this.instance = instance;
    this.alike = new AlignedSamples(instance.sample(), samples);
  }

  /**
   * Finds such a value that is not replaced.
   *
   * @param samples those of the operation
   * @param session how the operation is called in a reason
   * @return why the operation cannot have these values; empty if that is not evident
   */
  public static Optional<String> of(
      ProofInstance instance, List<OperationSample> samples, String session) {
    return new DependentValues(instance, samples).find(session);
  }

  private Optional<String> find(String session) {
    List<Place> kept = kept();
    for (Place array : kept) {
      Optional<Integer> query = mayReturnOthers(array);
      if (query.isPresent()) {
        return Optional.of(
            String.format(
                Locale.ROOT,
                "an array of statement %d of %s may have been read by statement %d, which may return"
                    + " others",
                array.statement() + 1,
                session,
                query.get() + 1));
      }
    }
    for (Place key : instance.replaced().keySet()) {
      for (Place other : kept) {
        if (isComputed(key, other)) {
          return Optional.of(
              String.format(
                  Locale.ROOT,
                  "a value of statement %d of %s may be computed from the key of statement %d,"
                      + " which would be another one",
                  other.statement() + 1,
                  session,
                  key.statement() + 1));
        }
      }
    }
    return Optional.empty();
  }

  /**
   * The earlier statement that has returned an element of an array and may return others now: as
   * keys are generated, or arguments replaced.
   */
  private Optional<Integer> mayReturnOthers(Place array) {
    if (instance.observed(array).type() != RecordedValue.Type.ARRAY) {
      return Optional.empty();
    }
    List<SampledStatement> statements = instance.sample().statements();
    for (int i = 0; i < array.statement(); i++) {
      SampledStatement query = statements.get(i);
      List<TemplateAccess> accesses =
          instance.template().statements().get(query.number() - 1).accesses();
      boolean mayBeOthers =
          !instance.replaced().isEmpty()
              || accesses.isEmpty()
              || accesses.stream().anyMatch(one -> one.effect() == TemplateAccess.Effect.INSERTED);
      if (mayBeOthers
          && query.rows().stream()
              .flatMap(List::stream)
              .anyMatch(value -> contains(value, instance.observed(array)))) {
        return Optional.of(i);
      }
    }
    return Optional.empty();
  }

  /** The arguments that are as they were observed. */
  private List<Place> kept() {
    List<Place> kept = new ArrayList<>();
    List<SampledStatement> statements = instance.sample().statements();
    for (int i = 0; i < statements.size(); i++) {
      for (int k = 0; k < statements.get(i).text().values().size(); k++) {
        Place place = new Place(i, k);
        if (!instance.replaced().containsKey(instance.root(place))
            && !(instance.rootOrigin(place) instanceof Returned)
            && ValueComparison.isValue(instance.observed(place))) {
          kept.add(place);
        }
      }
    }
    return kept;
  }

  private boolean isComputed(Place key, Place other) {
    return isArgumentOfLock(other)
        || alikeWith(key, other).allMatch(one -> contains(one.value(key), one.value(other)))
        || alikeWith(key, other).allMatch(one -> contains(one.value(other), one.value(key)))
        || (place(instance.sample(), other).use() != Use.ASSIGNED && areLiteralsAlike(key, other));
  }

  /** Literals that are equal in all transactions, as those of parameters are known to be. */
  private boolean areLiteralsAlike(Place key, Place other) {
    return !place(instance.sample(), key).literal().isEmpty()
        && !place(instance.sample(), other).literal().isEmpty()
        && alikeWith(key, other)
            .allMatch(one -> ValueComparison.areEqual(one.value(key), one.value(other)));
  }

  private Stream<Aligned> alikeWith(Place one, Place other) {
    return alike.with(one.statement(), other.statement());
  }

  /** A statement that uses no table may lock what its argument stands for. */
  private boolean isArgumentOfLock(Place place) {
    SampledStatement statement = instance.sample().statements().get(place.statement());
    return instance.template().statements().get(statement.number() - 1).accesses().isEmpty()
        && (alike.with(place.statement()).count() == 1
            || alike
                .with(place.statement())
                .anyMatch(
                    one -> !ValueComparison.areEqual(one.value(place), instance.observed(place))));
  }

  /**
   * Whether a text has a value in it, and more than that; a number is there as a whole. Or whether
   * an array has it as an element.
   */
  private static boolean contains(RecordedValue part, RecordedValue whole) {
    if (whole.type() == RecordedValue.Type.ARRAY) {
      return RecordedArray.of(whole).elements().stream()
          .anyMatch(element -> ValueComparison.areEqual(element, part));
    }
    if (whole.type() != RecordedValue.Type.TEXT || part.text().isEmpty()) {
      return false;
    }
    String text = whole.text();
    String value = part.text();
    for (int at = text.indexOf(value); at >= 0; at = text.indexOf(value, at + 1)) {
      int end = at + value.length();
      boolean isBegun = at > 0 && areDigits(text.charAt(at - 1), value.charAt(0));
      boolean isContinued =
          end < text.length() && areDigits(value.charAt(value.length() - 1), text.charAt(end));
      if (!isBegun && !isContinued && text.length() > value.length()) {
        return true;
      }
    }
    return false;
  }

  private static boolean areDigits(char one, char other) {
    return Character.isDigit(one) && Character.isDigit(other);
  }

  private static ValuePlace place(OperationSample sample, Place place) {
    return sample.statements().get(place.statement()).text().values().get(place.index());
  }
}
