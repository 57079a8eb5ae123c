package io.txwatch.interleave.explore;

/**
 * What a call reads, writes and locks. The order of two calls of different operations matters only
 * if their footprints conflict; a footprint may contain too much, never too little.
 */
public interface CallFootprint {

  /** Of a call that nothing depends on. */
  CallFootprint NOTHING =
      new CallFootprint() {
        @Override
        public boolean conflictsWith(CallFootprint other) {
          return false;
        }
      };

  /** Of a call of which nothing is known. */
  CallFootprint EVERYTHING =
      new CallFootprint() {
        @Override
        public boolean conflictsWith(CallFootprint other) {
          return other != NOTHING;
        }
      };

  /** True if the order of the two may matter. Symmetric. */
  boolean conflictsWith(CallFootprint other);
}
