package io.txwatch.compat;

/** How an application is run. */
enum Way {
  /** Unwatched. */
  RAW,
  /** With {@code -javaagent}, and tables that are prepared at first sight. */
  AGENT,
  /** With {@code jdbc:txwatch:}, and tables that were prepared before. */
  URL,
  /** With {@code -javaagent} alone: statements are sent as they are. */
  DEFAULT
}
