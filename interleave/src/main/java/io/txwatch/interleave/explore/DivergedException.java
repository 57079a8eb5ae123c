package io.txwatch.interleave.explore;

/** The same order of calls did not lead to the same calls. */
public final class DivergedException extends RuntimeException {

  private static final long serialVersionUID = 1;

  /**
   * Another operation can go on than before.
   *
   * @param step how many calls were the same
   */
  public DivergedException(int step) {
    super("call " + (step + 1) + " is another one than before in the same order");
  }

  /** An operation makes another call than before. */
  public DivergedException(String before, String now) {
    super(
        "in the same order an operation executes \""
            + now
            + "\", and before it \""
            + before
            + "\"");
  }
}
