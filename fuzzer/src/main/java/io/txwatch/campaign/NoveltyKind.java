package io.txwatch.campaign;

/** The kinds of things that a case may be the first of its campaign to show. */
public enum NoveltyKind {
  /** The SQL words of a statement. */
  STATEMENT_KIND("statement kinds"),
  /** What became of a statement that was blocked or failed because of another transaction. */
  LOCK_OUTCOME("lock outcomes"),
  /** The order of conflicting accesses of its transactions, by table. */
  DEPENDENCY_SHAPE("dependency shapes"),
  /** The results of its oracles, with the anomalies and patterns that they found. */
  VERDICT("verdicts");

  private final String plural;

  NoveltyKind(String plural) {
    this.plural = plural;
  }

  /** What several of it are called. */
  public String plural() {
    return plural;
  }
}
