package io.txwatch.predict;

/**
 * Two keys that have to be equal in an execution of a candidate.
 *
 * @param table the table
 * @param column the column
 * @param first an instance, by its place in {@link RaceCandidate#operations}
 * @param firstVariable its variable
 * @param second another instance
 * @param secondVariable its variable
 */
public record KeyEquality(
    String table,
    String column,
    int first,
    String firstVariable,
    int second,
    String secondVariable) {

  @Override
  public String toString() {
    return String.format(
        "%s.%s: %s of T%d = %s of T%d",
        table, column, firstVariable, first + 1, secondVariable, second + 1);
  }
}
