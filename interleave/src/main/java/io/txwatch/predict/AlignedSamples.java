package io.txwatch.predict;

import io.txwatch.history.RecordedValue;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * The transactions of a template beside one of them: its statements are found in the others by
 * their number and the iteration of their loop. A loop that another one executed less often has no
 * statement there for the last iterations.
 *
 * <p>Iterations are not compared with each other: what differs in the second one may be the same
 * argument in the first one, such as the account that a loop over both accounts begins with.
 */
final class AlignedSamples {

  /** A transaction whose statements have the indexes of those of the first one. */
  static final class Aligned {
    private final List<@Nullable SampledStatement> statements;

    private Aligned(List<@Nullable SampledStatement> statements) {
      this.statements = statements;
    }

    SampledStatement statement(int index) {
      return Objects.requireNonNull(statements.get(index));
    }

    ValuePlace place(int statement, int place) {
      return statement(statement).text().values().get(place);
    }

    RecordedValue value(ProofInstance.Place place) {
      return place(place.statement(), place.index()).value();
    }
  }

  private record Position(int number, int iteration) {}

  /** The transaction itself is among them. */
  private final List<Aligned> all;

  /**
   * Finds the statements of one transaction in all of its template.
   *
   * @param samples those of the template, this one included
   */
  AlignedSamples(OperationSample sample, List<OperationSample> samples) {
    all = samples.stream().map(other -> align(sample, other)).toList();
  }

  private static Aligned align(OperationSample sample, OperationSample other) {
    Map<Position, SampledStatement> byPosition = new HashMap<>();
    for (SampledStatement statement : other.statements()) {
      byPosition.putIfAbsent(position(statement), statement);
    }
    List<@Nullable SampledStatement> statements = new ArrayList<>();
    for (SampledStatement statement : sample.statements()) {
      SampledStatement same = byPosition.get(position(statement));
      boolean isAlike =
          same != null && same.text().values().size() == statement.text().values().size();
      statements.add(isAlike ? same : null);
    }
    return new Aligned(statements);
  }

  private static Position position(SampledStatement statement) {
    return new Position(statement.number(), statement.iteration());
  }

  /** The transactions that executed all of these statements; this one is among them. */
  Stream<Aligned> with(int... statements) {
    return all.stream()
        .filter(
            one -> Arrays.stream(statements).allMatch(index -> one.statements.get(index) != null));
  }
}
