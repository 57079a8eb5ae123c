package io.txwatch.predict;

import java.util.List;

/**
 * A cycle that tables and columns would allow and that cannot happen.
 *
 * @param operations the instances, as in {@link RaceCandidate#operations}
 * @param read the statement whose read would be replaced
 * @param write the statement that would replace it
 * @param reason why not
 * @param by the statement that prevents it
 */
public record RuledOut(
    List<OperationTemplate> operations,
    TemplateStatement read,
    TemplateStatement write,
    Reason reason,
    TemplateStatement by) {

  /** What prevents a race. */
  public enum Reason {
    /** A read locks the row, so that the other transaction waits. */
    LOCKED("locks the row that the other transaction uses"),
    /** The row is written before, or in the same statement, so that the other one waits. */
    WRITTEN_BEFORE("has written a row that the other transaction uses"),
    /** Both write one row: under snapshot isolation the second writer is aborted. */
    FIRST_WRITER_WINS("writes a row that the other transaction writes, which aborts one of them"),
    /** The write repeats the condition that was read, and then affects no row. */
    CHECKED("checks what was read before, in its own condition");

    private final String description;

    Reason(String description) {
      this.description = description;
    }

    /** What the statement does that prevents it, for display. */
    public String description() {
      return description;
    }
  }

  public RuledOut {
    operations = List.copyOf(operations);
  }
}
