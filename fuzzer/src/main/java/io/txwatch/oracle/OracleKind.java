package io.txwatch.oracle;

import java.util.Arrays;
import java.util.Optional;

/** The oracles, in the order in which they judge. */
public enum OracleKind {
  /** {@link WriteCheck}. */
  WRITECHECK("writecheck", "WRITE_SPECIFIC_SERIALIZABILITY", false, false),
  /** {@link io.txwatch.oracle.troc.Troc}. */
  TROC("troc", "STATEMENT_EXPECTATION", false, false),
  /** {@link IsoRel}. */
  ISOREL("isorel", "STATEMENT_EXPECTATION", true, true),
  /** {@link io.txwatch.oracle.aptrans.ApTrans}. */
  APTRANS("aptrans", "ANOMALY_PATTERN", false, true),
  /** {@link io.txwatch.oracle.txcheck.TxCheck}. */
  TXCHECK("txcheck", "STATEMENT_EXPECTATION", true, false),
  /** {@link io.txwatch.oracle.log.LogCheck}. */
  LOG("log", "LOGGED_CHANGES", false, false);

  private final String id;
  private final String violated;
  private final boolean needsColumns;
  private final boolean judgesLevels;

  /**
   * An oracle.
   *
   * @param id its name, as users type it
   * @param violated what a violation without a named phenomenon violates, as JSON has it
   * @param needsColumns whether tables must get columns of txwatch
   * @param judgesLevels whether its verdict depends on the standard that levels are judged by
   */
  OracleKind(String id, String violated, boolean needsColumns, boolean judgesLevels) {
    this.id = id;
    this.violated = violated;
    this.needsColumns = needsColumns;
    this.judgesLevels = judgesLevels;
  }

  /** Its name, as users type it. */
  public String id() {
    return id;
  }

  /** What a violation without a named phenomenon violates, as JSON has it. */
  public String violated() {
    return violated;
  }

  /** Whether tables must get columns of txwatch. */
  public boolean needsColumns() {
    return needsColumns;
  }

  /** Whether its verdict depends on the standard that levels are judged by. */
  public boolean judgesLevels() {
    return judgesLevels;
  }

  /** The oracle with that name; empty if it is none of these. */
  public static Optional<OracleKind> named(String id) {
    return Arrays.stream(values()).filter(kind -> kind.id.equalsIgnoreCase(id)).findFirst();
  }
}
