package io.txwatch.pattern;

import io.txwatch.pattern.PatternOperation.Type;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/**
 * A pattern that an execution shows.
 *
 * @param pattern the pattern
 * @param operations for each operation of the pattern, the recorded one
 */
public record PatternMatch(AnomalyPattern pattern, List<RecordedOperation> operations) {

  /** Copies its arguments. */
  public PatternMatch {
    operations = List.copyOf(operations);
  }

  /** True if all its reads are plain queries. */
  public boolean readsPlainly() {
    return operations.stream()
        .filter(operation -> operation.type() == Type.READ)
        .allMatch(operation -> operation.access().isPlain());
  }

  /** True if the absence of a row shows one of its versions. */
  public boolean isByPredicate() {
    return operations.stream().anyMatch(operation -> operation.access().isByPredicate());
  }

  /** The operations with the names of transactions, items and steps. */
  @Override
  public String toString() {
    List<String> texts = new ArrayList<>();
    for (int i = 0; i < operations.size(); i++) {
      RecordedOperation recorded = operations.get(i);
      PatternOperation operation = pattern.operations().get(i);
      if (recorded.type().accessesItem()) {
        texts.add(
            String.format(
                Locale.ROOT,
                "%s = %s of %s in step %d",
                operation,
                recorded.type().name().toLowerCase(Locale.ROOT),
                recorded.item(),
                recorded.step()));
      }
    }
    return String.join(", ", texts);
  }
}
