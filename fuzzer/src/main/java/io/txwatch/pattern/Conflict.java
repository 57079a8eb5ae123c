package io.txwatch.pattern;

import java.util.Locale;

/**
 * Two operations of different transactions on versions of one item that make the second depend on
 * the first (section 2.2).
 *
 * @param kind the kind of the dependency
 * @param from the transaction that comes first
 * @param to the transaction that depends on it
 * @param item the item
 */
public record Conflict(Kind kind, int from, int to, String item) {

  /** The kinds of dependencies. */
  public enum Kind {
    /** The second overwrites the version that the first has written. */
    WW,
    /** The second reads the version that the first has written. */
    WR,
    /** The second overwrites the version that the first has read. */
    RW
  }

  /** The kind of conflict between two operations on one item; the first one comes earlier. */
  static Kind kindOf(PatternOperation first, PatternOperation second) {
    if (second.type() == PatternOperation.Type.READ) {
      return Kind.WR;
    }
    return first.type() == PatternOperation.Type.READ ? Kind.RW : Kind.WW;
  }

  /** The text {@code 1 ww[x] 2}. */
  @Override
  public String toString() {
    return String.format(
        Locale.ROOT, "%d %s[%s] %d", from, kind.name().toLowerCase(Locale.ROOT), item, to);
  }
}
