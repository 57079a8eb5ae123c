package io.txwatch.campaign;

import io.txwatch.history.IsolationLevel;
import io.txwatch.oracle.OracleVerdict.PatternOutcome;
import io.txwatch.pattern.AnomalyPattern;
import io.txwatch.pattern.PatternFile;
import java.util.Comparator;
import java.util.List;

/**
 * The kinds by which campaigns count what became of the patterns of their cases.
 *
 * @param pattern the id of the pattern
 * @param level the isolation level
 * @param outcome what became of it
 */
public record PatternCount(String pattern, IsolationLevel level, PatternOutcome outcome)
    implements Comparable<PatternCount> {

  private static final List<String> IDS =
      PatternFile.all().stream().map(AnomalyPattern::id).toList();

  private static final Comparator<PatternCount> ORDER =
      Comparator.<PatternCount>comparingInt(count -> IDS.indexOf(count.pattern))
          .thenComparing(PatternCount::level)
          .thenComparing(PatternCount::outcome);

  /** Orders by the place of the pattern in its file, then by level. */
  @Override
  public int compareTo(PatternCount other) {
    return ORDER.compare(this, other);
  }
}
