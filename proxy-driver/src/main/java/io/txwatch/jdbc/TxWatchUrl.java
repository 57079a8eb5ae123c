package io.txwatch.jdbc;

import java.net.URLDecoder;
import java.nio.charset.StandardCharsets;
import java.util.Properties;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * A URL {@code jdbc:txwatch:…} taken apart.
 *
 * @param real the URL for the real driver: our prefix and our properties taken out
 * @param properties our properties, {@code txwatch.*}, decoded
 */
record TxWatchUrl(String real, Properties properties) {

  static final String PREFIX = "jdbc:txwatch:";

  /** {@code ?txwatch.x=y}, {@code &txwatch.x=y}, and H2's {@code ;txwatch.x=y}. */
  private static final Pattern OURS = Pattern.compile("([?&;])(txwatch\\.[^=&;]*)(?:=([^&;]*))?");

  /** True if it is one of ours. */
  static boolean accepts(String url) {
    return url.regionMatches(true, 0, PREFIX, 0, PREFIX.length());
  }

  /** Takes one of ours apart. */
  static TxWatchUrl parse(String url) {
    String rest = url.substring(PREFIX.length());
    String whole = rest.startsWith("jdbc:") ? rest : "jdbc:" + rest;
    Properties properties = new Properties();
    StringBuilder real = new StringBuilder();
    boolean questionMarkOwed = false;
    int from = 0;
    Matcher matcher = OURS.matcher(whole);
    while (matcher.find()) {
      questionMarkOwed = append(real, whole.substring(from, matcher.start()), questionMarkOwed);
      questionMarkOwed |= matcher.group(1).equals("?");
      properties.setProperty(matcher.group(2), decode(matcher.group(3)));
      from = matcher.end();
    }
    append(real, whole.substring(from), questionMarkOwed);
    return new TxWatchUrl(real.toString(), properties);
  }

  /**
   * Appends a piece; where the first property behind "?" was ours, the next one takes its place.
   */
  private static boolean append(StringBuilder real, String piece, boolean questionMarkOwed) {
    if (questionMarkOwed && piece.startsWith("&")) {
      real.append('?').append(piece, 1, piece.length());
      return false;
    }
    real.append(piece);
    return questionMarkOwed;
  }

  private static String decode(String value) {
    if (value == null) {
      return "";
    }
    try {
      return URLDecoder.decode(value.replace("+", "%2B"), StandardCharsets.UTF_8);
    } catch (IllegalArgumentException e) {
      return value;
    }
  }
}
