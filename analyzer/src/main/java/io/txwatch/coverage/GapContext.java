package io.txwatch.coverage;

import java.util.List;
import java.util.stream.Stream;

/**
 * What the advice on gaps depends on, beside their number.
 *
 * @param notUnderstood a statement that was not understood, as histories contain it; empty if none
 * @param shapes why statements were passed through because of their shape: the first {@value
 *     #MAX_SHAPES} different reasons
 * @param phantomsUnseen true if rows were queried and inserted, and no version set was read or
 *     requested: what a query did not find is known to no statement
 * @param emptyDeletes true if a DELETE found no row, and no version set was read or requested: what
 *     it skipped, after it had waited for another session, is not known
 * @param byValue true if rows are known by their values, as {@code txwatch.versions} chooses
 */
public record GapContext(
    String notUnderstood,
    List<String> shapes,
    boolean phantomsUnseen,
    boolean emptyDeletes,
    boolean byValue) {

  public static final GapContext UNKNOWN = new GapContext("", List.of(), false, false, false);

  private static final int MAX_SHAPES = 4;

  GapContext plus(GapContext other) {
    return new GapContext(
        notUnderstood.isEmpty() ? other.notUnderstood : notUnderstood,
        Stream.concat(shapes.stream(), other.shapes.stream()).distinct().limit(MAX_SHAPES).toList(),
        phantomsUnseen || other.phantomsUnseen,
        emptyDeletes || other.emptyDeletes,
        byValue || other.byValue);
  }

  GapContext with(boolean unseenPhantoms, boolean unseenByDeletes, boolean areByValue) {
    return new GapContext(notUnderstood, shapes, unseenPhantoms, unseenByDeletes, areByValue);
  }

  /** The same with a reason why a statement was passed through. */
  GapContext withShape(String reason) {
    boolean isKnown = reason.isEmpty() || shapes.size() == MAX_SHAPES || shapes.contains(reason);
    return isKnown ? this : plus(new GapContext("", List.of(reason), false, false, false));
  }
}
