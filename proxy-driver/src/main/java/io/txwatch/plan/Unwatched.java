package io.txwatch.plan;

import java.util.Optional;

/**
 * What is sent where nothing can be observed of a statement: the application's text, and on H2,
 * where its NATURAL joins would join on the auxiliary columns, the text that does not.
 *
 * @param text its parameters are the application's, in the application's order
 * @param origins where its characters are from
 * @param refused why the statement must not be sent at all: its NATURAL join would join on the
 *     auxiliary columns, and no text is known that does not; empty almost always
 */
public record Unwatched(String text, Origins origins, Optional<String> refused) {

  /** The application's own text. */
  public static Unwatched asItIs(String text) {
    return new Unwatched(text, Origins.SAME, Optional.empty());
  }
}
