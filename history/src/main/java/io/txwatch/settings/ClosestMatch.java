package io.txwatch.settings;

import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Locale;
import java.util.Optional;

/** Finds the word that a user probably meant to type. */
public final class ClosestMatch {

  private ClosestMatch() {}

  /**
   * Returns the word with the smallest edit distance to {@code typed}, ignoring case, for a
   * message: {@code redact}, or {@code predict or redact} if several are as near. Empty if the
   * distance exceeds half of the word's length, since such a suggestion would not help.
   */
  public static Optional<String> find(String typed, Collection<String> words) {
    String wanted = typed.toLowerCase(Locale.ROOT);
    List<String> nearest = new ArrayList<>();
    int bestDistance = Integer.MAX_VALUE;
    for (String word : words) {
      int distance = distance(wanted, word.toLowerCase(Locale.ROOT));
      if (distance < bestDistance) {
        nearest.clear();
        bestDistance = distance;
      }
      if (distance == bestDistance && distance <= Math.max(2, word.length() / 2)) {
        nearest.add(word);
      }
    }
    return nearest.isEmpty() ? Optional.empty() : Optional.of(String.join(" or ", nearest));
  }

  /**
   * The optimal string alignment distance: insertions, deletions, substitutions and swaps of
   * neighbours, one each. Time and space: the product of the lengths.
   */
  static int distance(String a, String b) {
    int[][] d = new int[a.length() + 1][b.length() + 1];
    for (int i = 0; i <= a.length(); i++) {
      for (int j = 0; j <= b.length(); j++) {
        if (i == 0 || j == 0) {
          d[i][j] = i + j;
          continue;
        }
        int substitution = a.charAt(i - 1) == b.charAt(j - 1) ? 0 : 1;
        int least = Math.min(d[i - 1][j] + 1, d[i][j - 1] + 1);
        least = Math.min(least, d[i - 1][j - 1] + substitution);
        if (i > 1
            && j > 1
            && a.charAt(i - 1) == b.charAt(j - 2)
            && a.charAt(i - 2) == b.charAt(j - 1)) {
          least = Math.min(least, d[i - 2][j - 2] + 1);
        }
        d[i][j] = least;
      }
    }
    return d[a.length()][b.length()];
  }
}
