package io.txwatch.testcase;

/**
 * Words that a text may hold, in whatever case, each with no letter, digit or underscore on either
 * side. Looks at a word of the text only if one of them begins as it does.
 */
public final class WordSet {

  private final String[] words;

  /** Bit n is set if one of them begins with the n-th letter. */
  private final int initials;

  private WordSet(String... words) {
    this.words = words;
    int letters = 0;
    for (String word : words) {
      letters |= letterBit(word.charAt(0));
    }
    this.initials = letters;
  }

  /**
   * Some words.
   *
   * @param words each a letter, and letters, digits and underscores
   * @throws IllegalArgumentException if one is none
   */
  public static WordSet of(String... words) {
    for (String word : words) {
      if (word.isEmpty()
          || letterBit(word.charAt(0)) == 0
          || !word.chars().allMatch(character -> isWordCharacter((char) character))) {
        throw new IllegalArgumentException("not a word: '" + word + "'");
      }
    }
    return new WordSet(words.clone());
  }

  /** True if one of them is in the text. */
  public boolean occurIn(String text) {
    boolean within = false;
    for (int i = 0; i < text.length(); i++) {
      char character = text.charAt(i);
      if (!within && (initials & letterBit(character)) != 0 && anyStartsAt(text, i)) {
        return true;
      }
      within = isWordCharacter(character);
    }
    return false;
  }

  private boolean anyStartsAt(String text, int start) {
    for (String word : words) {
      int end = start + word.length();
      if (text.regionMatches(true, start, word, 0, word.length())
          && (end == text.length() || !isWordCharacter(text.charAt(end)))) {
        return true;
      }
    }
    return false;
  }

  private static int letterBit(char character) {
    int letter = (character | 0x20) - 'a';
    return character < 0x80 && letter >= 0 && letter < 26 ? 1 << letter : 0;
  }

  private static boolean isWordCharacter(char character) {
    return letterBit(character) != 0 || character == '_' || (character >= '0' && character <= '9');
  }
}
