package io.txwatch.interleave.explore;

/**
 * What a call reads, writes and locks. The order of two calls of different operations matters only
 * if their footprints conflict; a footprint may contain too much, never too little.
 */
public interface Footprint {

  /** Of a call that nothing depends on. */
  Footprint NOTHING =
      new Footprint() {
        @Override
        public boolean conflictsWith(Footprint other) {
          return false;
        }
      };

  /** Of a call of which nothing is known. */
  Footprint EVERYTHING =
      new Footprint() {
        @Override
        public boolean conflictsWith(Footprint other) {
          return other != NOTHING;
        }
      };

  /** True if the order of the two may matter. Symmetric. */
  boolean conflictsWith(Footprint other);
}
