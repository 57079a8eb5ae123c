package io.txwatch.cli;

import java.io.IOException;
import java.io.Writer;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Colours the lines of reports for a terminal: verdicts, names of anomalies, lines of code. Nothing
 * is added to the text but colour, and lines of JSON stay as they are.
 */
final class ColourWriter extends Writer {

  private static final String RESET = "\u001b[0m";

  /** The first group that matches gives the colour. */
  private static final Pattern COLOURED =
      Pattern.compile(
          "(?<bad>^[A-Z][A-Z0-9_]+(?= [ (])|\\bVIOLATION\\b|\\bBROKEN\\b)"
              + "|(?<hazard>\\bHAZARD\\b)"
              + "|(?<site>\\b\\w+\\.(?:java|kt|scala):\\d+|\\bhttps?://\\S+|\\bfile:\\S+)"
              + "|(?<good>\\bin order\\b|\\bclean\\b)"
              + "|(?<head>\\bT\\d+\\b|^ +(?:why|prevent)(?= ))");

  private static final Map<String, String> CODES =
      Map.of(
          "bad", "\u001b[1;31m",
          "hazard", "\u001b[1;33m",
          "site", "\u001b[36m",
          "good", "\u001b[32m",
          "head", "\u001b[1m");

  private final Writer out;
  private final StringBuilder line = new StringBuilder();

  ColourWriter(Writer out) {
    this.out = out;
  }

  /** A line in colour. */
  static String colour(String line) {
    if (line.startsWith("{")) {
      return line;
    }
    return COLOURED
        .matcher(line)
        .replaceAll(
            found -> Matcher.quoteReplacement(code((Matcher) found) + found.group() + RESET));
  }

  private static String code(Matcher found) {
    return CODES.entrySet().stream()
        .filter(colour -> found.group(colour.getKey()) != null)
        .map(Map.Entry::getValue)
        .findFirst()
        .orElse("");
  }

  @Override
  public void write(char[] text, int offset, int length) throws IOException {
    for (int i = offset; i < offset + length; i++) {
      if (text[i] == '\n') {
        out.write(colour(line.toString()));
        out.write('\n');
        line.setLength(0);
      } else {
        line.append(text[i]);
      }
    }
  }

  /** The start of a line is written as it is: its end is not known. */
  @Override
  public void flush() throws IOException {
    out.write(line.toString());
    line.setLength(0);
    out.flush();
  }

  @Override
  public void close() throws IOException {
    flush();
    out.close();
  }
}
