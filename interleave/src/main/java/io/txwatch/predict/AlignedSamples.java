package io.txwatch.predict;

import io.txwatch.history.RecordedValue;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * The transactions of a template beside one of them: its statements are found in the others by
 * their number and the iteration of their loop. A loop that another one executed less often has no
 * statement there for the last iterations.
 *
 * <p>The iterations of loops are compared, too: what is the same value in one iteration is the same
 * in each. So there are several alignments of one transaction, with itself as well, in which the
 * iterations of all loops are so many later or earlier.
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

  /** By how many iterations loops are shifted at most. */
  private static final int MAX_SHIFTS = 4;

  /** The transaction itself comes first. */
  private final List<Aligned> all = new ArrayList<>();

  /**
   * Finds the statements of one transaction in all of its template.
   *
   * @param samples those of the template, this one included
   */
  AlignedSamples(OperationSample sample, List<OperationSample> samples) {
    Set<Integer> inLoops = new HashSet<>();
    int most = 1;
    for (OperationSample one : samples) {
      for (SampledStatement statement : one.statements()) {
        most = Math.max(most, statement.iteration());
        if (statement.iteration() > 1) {
          inLoops.add(statement.number());
        }
      }
    }
    all.add(align(sample, sample, 0, inLoops));
    for (int shift = 0; shift < Math.min(most, MAX_SHIFTS); shift++) {
      for (OperationSample other : samples) {
        if (shift > 0) {
          all.add(align(sample, other, shift, inLoops));
          all.add(align(sample, other, -shift, inLoops));
        } else if (!other.equals(sample)) {
          all.add(align(sample, other, 0, inLoops));
        }
      }
    }
  }

  private static Aligned align(
      OperationSample sample, OperationSample other, int shift, Set<Integer> inLoops) {
    Map<Position, SampledStatement> byPosition = new HashMap<>();
    for (SampledStatement statement : other.statements()) {
      byPosition.putIfAbsent(new Position(statement.number(), statement.iteration()), statement);
    }
    List<@Nullable SampledStatement> statements = new ArrayList<>();
    for (SampledStatement statement : sample.statements()) {
      int later = inLoops.contains(statement.number()) ? shift : 0;
      SampledStatement same =
          byPosition.get(new Position(statement.number(), statement.iteration() + later));
      boolean isAlike =
          same != null && same.text().values().size() == statement.text().values().size();
      statements.add(isAlike ? same : null);
    }
    return new Aligned(statements);
  }

  /** The alignments that have all of these statements; the transaction itself comes first. */
  Stream<Aligned> with(int... statements) {
    return all.stream()
        .filter(
            one -> Arrays.stream(statements).allMatch(index -> one.statements.get(index) != null));
  }
}
