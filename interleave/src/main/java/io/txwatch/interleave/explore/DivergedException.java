package io.txwatch.interleave.explore;

/** The same order of calls did not lead to the same calls: the operations are not deterministic. */
public final class DivergedException extends RuntimeException {

  private static final long serialVersionUID = 1;

  private final int step;

  /**
   * A call that is another one.
   *
   * @param step how many calls were the same
   */
  public DivergedException(int step) {
    super("call " + (step + 1) + " is another one than before in the same order");
    this.step = step;
  }

  /** How many calls were the same. */
  public int step() {
    return step;
  }
}
