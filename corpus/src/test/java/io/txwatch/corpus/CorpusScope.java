package io.txwatch.corpus;

import io.txwatch.rewrite.RewritePlanner.Level;
import java.util.Locale;

/** The extent of the corpus tests: {@code -Dcorpus=quick}, {@code slice} or {@code full}. */
public enum CorpusScope {
  /** Every written statement once, at one level; in each build. */
  QUICK,
  /** The same at each level, and a script with a new seed. */
  SLICE,
  /** Every written statement by every method, and all generated scripts. */
  FULL;

  /** Returns the requested scope; {@link #QUICK} by default. */
  public static CorpusScope requested() {
    return valueOf(System.getProperty("corpus", "quick").toUpperCase(Locale.ROOT));
  }

  /** The levels that are run; {@link Level#PREDICATES} includes what the others do. */
  public Level[] levels() {
    return this == QUICK ? new Level[] {Level.PREDICATES} : Level.values();
  }
}
