package io.txwatch.version;

/**
 * How many rows that transactions read were resolved to versions.
 *
 * @param unique rows of which one version is possible
 * @param run rows of which several versions are possible that follow each other and have the values
 *     that were read: which one was read makes no difference to the values, and both dependencies
 *     are certain, on the first one's writer and by the last one's successor
 * @param several rows of which other versions are possible, too, or whose reader's level is not
 *     known or READ UNCOMMITTED: their dependencies are possible
 * @param none rows of which no version is possible: a version that was never committed, or a writer
 *     that the record does not show
 * @param unrecorded rows that the record did not show in time, or of which it shows too little
 * @param withoutKey rows whose key was not read
 */
public record Resolution(
    long unique, long run, long several, long none, long unrecorded, long withoutKey) {

  /** Nothing was read by value. */
  public static final Resolution NONE = new Resolution(0, 0, 0, 0, 0, 0);

  /** All rows read. */
  public long rows() {
    return unique + run + several + none + unrecorded + withoutKey;
  }

  /** Rows of which nothing is known. */
  long unresolved() {
    return none + unrecorded + withoutKey;
  }

  /** The sum of this and another one. */
  public Resolution plus(Resolution other) {
    return new Resolution(
        unique + other.unique,
        run + other.run,
        several + other.several,
        none + other.none,
        unrecorded + other.unrecorded,
        withoutKey + other.withoutKey);
  }
}
