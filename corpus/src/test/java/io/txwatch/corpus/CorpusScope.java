package io.txwatch.corpus;

import io.txwatch.sql.RewritePlanner.Level;
import java.util.Locale;

/** How much is run: {@code -Dcorpus=quick}, {@code slice} or {@code full}. */
public enum CorpusScope {
  /** What each build runs. */
  QUICK,
  /** The same at each level of instrumentation. */
  SLICE,
  /** All there is. */
  FULL;

  /** Returns the requested scope; {@link #QUICK} by default. */
  public static CorpusScope asked() {
    return valueOf(System.getProperty("corpus", "quick").toUpperCase(Locale.ROOT));
  }

  /** The levels that it runs at: each level does all that those before it do. */
  public Level[] levels() {
    return this == QUICK ? new Level[] {Level.PREDICATES} : Level.values();
  }
}
