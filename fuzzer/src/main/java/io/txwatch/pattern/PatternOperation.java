package io.txwatch.pattern;

import java.util.Locale;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * An operation of a pattern, {@code W2[x1]}: its type, the transaction, the data item and its
 * version.
 *
 * @param type the type
 * @param transaction the number of the transaction, 1 or 2
 * @param item the name of the item; empty if the operation accesses none
 * @param version the version that is read or written: 0 is the initial one, and each write makes
 *     the next one
 */
public record PatternOperation(Type type, int transaction, String item, int version) {

  private static final Pattern TEXT =
      Pattern.compile("(?<type>[RWNSCA])(?<transaction>[12])(\\[(?<item>[a-z])(?<version>\\d)])?");

  /** The types of operations, by the letter in the text of a pattern. */
  public enum Type {
    /** Reads a version. */
    READ("R"),
    /** Writes the next version. */
    WRITE("W"),
    /**
     * Draws the next value from a sequence. Draws are ordered as writes are, but they are in no
     * transaction.
     */
    DRAW("N"),
    /** Takes the snapshot that the plain reads of the transaction see. */
    SNAPSHOT("S"),
    /** Commits. */
    COMMIT("C"),
    /** Aborts. */
    ABORT("A");

    private final String letter;

    Type(String letter) {
      this.letter = letter;
    }

    /** True if the operation names a version of an item. */
    public boolean accessesItem() {
      return this == READ || this == WRITE || this == DRAW;
    }

    /** True if the operation makes a version. */
    public boolean makesVersion() {
      return this == WRITE || this == DRAW;
    }

    static Type ofLetter(String letter) {
      for (Type type : values()) {
        if (type.letter.equals(letter)) {
          return type;
        }
      }
      throw new IllegalArgumentException("no operation '" + letter + "'");
    }
  }

  /**
   * Parses an operation.
   *
   * @throws IllegalArgumentException if the text is none
   */
  static PatternOperation parse(String text) {
    Matcher matcher = TEXT.matcher(text);
    if (!matcher.matches()) {
      throw new IllegalArgumentException(
          "'" + text + "' is no operation: expected R1[x0], W2[x1], N1[x1], S1, C1 or A1");
    }
    Type type = Type.ofLetter(matcher.group("type"));
    String item = matcher.group("item");
    if (type.accessesItem() != (item != null)) {
      throw new IllegalArgumentException(
          "'" + text + "': reads, writes and draws name a version, other operations do not");
    }
    return new PatternOperation(
        type,
        Integer.parseInt(matcher.group("transaction")),
        item == null ? "" : item,
        item == null ? 0 : Integer.parseInt(matcher.group("version")));
  }

  /** The operation as the text of a pattern spells it. */
  @Override
  public String toString() {
    return type.letter
        + transaction
        + (type.accessesItem() ? String.format(Locale.ROOT, "[%s%d]", item, version) : "");
  }
}
