package io.txwatch.history;

/**
 * The id of a distributed trace, as a tracer prints it: {@code 4bf92f3577b34da6a3ce929d0e0e4736}
 * (W3C Trace Context, 32 hexadecimal digits). Other tracers and applications use other texts, so
 * any text is accepted.
 */
public final class TraceId {

  /** The rest of a longer id is not recorded. */
  public static final int MAX_CHARACTERS = 64;

  private TraceId() {}

  /** The id, or its beginning if it is too long; never half of a surrogate pair at the end. */
  public static String limited(String traceId) {
    if (traceId.length() <= MAX_CHARACTERS) {
      return traceId;
    }
    boolean splitsPair = Character.isHighSurrogate(traceId.charAt(MAX_CHARACTERS - 1));
    return traceId.substring(0, splitsPair ? MAX_CHARACTERS - 1 : MAX_CHARACTERS);
  }
}
