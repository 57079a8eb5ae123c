package io.txwatch.predict;

import java.util.List;

/**
 * What may happen between operations at a level, and what cannot.
 *
 * @param candidates the cycles that tables, columns and keys allow, each once
 * @param ruledOut cycles of two instances that are prevented, with the reason
 * @param omitted the number of those beyond a limit
 */
public record Prediction(List<RaceCandidate> candidates, List<RuledOut> ruledOut, long omitted) {

  public Prediction {
    candidates = List.copyOf(candidates);
    ruledOut = List.copyOf(ruledOut);
  }
}
