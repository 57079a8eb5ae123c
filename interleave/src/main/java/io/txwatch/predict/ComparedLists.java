package io.txwatch.predict;

import io.txwatch.history.RecordedValue;
import io.txwatch.predict.ProofInstance.Place;
import io.txwatch.predict.ValuePlace.Use;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Pattern;

/**
 * Whether the lists that rows are chosen by, {@code id IN (?, …)} or {@code id = ANY (?)}, have
 * values in common. No cycle requires that, as no key of these rows is known, so an execution with
 * others shows nothing.
 */
public final class ComparedLists {

  private static final Pattern LIST =
      Pattern.compile("(?i)=\\s*(any|some)\\s*\\(|\\bin\\s*\\(\\s*\\?");

  private ComparedLists() {}

  /** Whether a list of a conflict chooses none of the rows of the other statement. */
  public static boolean chooseOtherRows(RaceCandidate candidate, List<ProofInstance> instances) {
    return candidate.conflicts().stream()
        .anyMatch(
            conflict ->
                chooseOtherRows(
                    instances.get(conflict.from()),
                    conflict.fromStatement().number(),
                    instances.get(conflict.to()),
                    conflict.toStatement().number()));
  }

  private static boolean chooseOtherRows(
      ProofInstance from, int fromNumber, ProofInstance to, int toNumber) {
    if (!comparesList(from, fromNumber) && !comparesList(to, toNumber)) {
      return false;
    }
    Map<String, List<RecordedValue>> others = values(to, toNumber);
    return values(from, fromNumber).entrySet().stream()
        .anyMatch(
            one ->
                others.containsKey(one.getKey())
                    && one.getValue().stream()
                        .noneMatch(
                            value ->
                                others.get(one.getKey()).stream()
                                    .anyMatch(other -> isSame(value, other))));
  }

  private static boolean isSame(RecordedValue one, RecordedValue other) {
    return one.equals(other) || ValueComparison.areEqual(one, other);
  }

  private static boolean comparesList(ProofInstance instance, int number) {
    return instance.sample().statements().stream()
        .filter(statement -> statement.number() == number)
        .anyMatch(statement -> LIST.matcher(String.join("?", statement.text().parts())).find());
  }

  /** The values that a statement compares each column with, or inserts in it. */
  private static Map<String, List<RecordedValue>> values(ProofInstance instance, int number) {
    Map<String, List<RecordedValue>> values = new LinkedHashMap<>();
    List<SampledStatement> statements = instance.sample().statements();
    for (int i = 0; i < statements.size(); i++) {
      List<ValuePlace> places = statements.get(i).text().values();
      for (int k = 0; k < places.size() && statements.get(i).number() == number; k++) {
        Use use = places.get(k).use();
        if (use == Use.COMPARED || use == Use.INSERTED) {
          values
              .computeIfAbsent(places.get(k).column(), column -> new ArrayList<>())
              .add(instance.value(new Place(i, k)));
        }
      }
    }
    return values;
  }
}
