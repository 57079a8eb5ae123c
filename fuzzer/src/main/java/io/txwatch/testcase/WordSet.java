package io.txwatch.testcase;

/**
 * A set of words to find in texts, in any case, delimited by characters other than letters, digits
 * and underscores. A word of the text is compared only if one of the set has the same initial.
 */
public final class WordSet {

  private final String[] words;

  /** Bit n is set if a word begins with the n-th letter. */
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
   * Creates a set.
   *
   * @param words each a letter followed by letters, digits and underscores
   * @throws IllegalArgumentException if one has another form
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

  /** True if any of the words occurs in the text. */
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
