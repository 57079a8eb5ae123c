package io.txwatch.prepare;

import java.util.List;

/**
 * What became of a plan.
 *
 * @param changed the tables that were changed
 * @param failed the tables that could not be, each with the reason
 */
public record PreparationResult(List<String> changed, List<Failure> failed) {

  /** How a table was left that could not be changed. */
  public enum Left {
    /** Nothing of it was changed. */
    AS_IT_WAS("is as it was"),
    /** It is half done. */
    PARTLY_DONE("is partly done: prepare goes on where it stopped, unprepare takes it back"),
    /** Not a table but a statement at the end, which was not carried out. */
    NOT_DONE("was not done"),
    /** It could not be read any more. */
    UNKNOWN("may be partly done: prepare goes on where it stopped, unprepare takes it back");

    private final String words;

    Left(String words) {
      this.words = words;
    }

    /** For people, after the table's name. */
    public String words() {
      return words;
    }
  }

  /** A table, or a statement at the end, why it could not be changed, and how it was left. */
  public record Failure(String table, String reason, Left left) {

    /** A table of which nothing was changed. */
    public Failure(String table, String reason) {
      this(table, reason, Left.AS_IT_WAS);
    }
  }

  /** True if everything planned was done. */
  public boolean complete() {
    return failed.isEmpty();
  }
}
