package io.txwatch.sql.syntax;

/**
 * A stretch of significant tokens.
 *
 * @param from the first
 * @param to the one after the last
 */
public record Span(int from, int to) {

  /** True if a token lies in it. */
  public boolean contains(int token) {
    return from <= token && token < to;
  }

  /** The same with another end. */
  Span upTo(int end) {
    return new Span(from, end);
  }

  /** True if it holds no token. */
  public boolean isEmpty() {
    return from >= to;
  }
}
