package io.txwatch.format;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** The history formats of other tools. */
public enum ForeignFormat {
  /** Elle's list-append, in EDN or JSON. */
  ELLE_APPEND("elle-append", "EDN or JSON, [:append 1 2], [:r 1 [2]]", Values.LISTS, true, false),
  /** Elle's rw-register, in EDN or JSON. */
  ELLE_REGISTER("elle-register", "EDN or JSON, [:w 1 2], [:r 1 2]", Values.REGISTERS, true, false),
  /** Plume's and PolySI's text: {@code w(1,2,0,0)}. */
  PLUME("plume", "text, w(1,2,0,0)", Values.REGISTERS, false, true),
  /** AWDIT's text: {@code w 1 2}, with lines of dashes and equals signs in between. */
  AWDIT("awdit", "text, w 1 2", Values.REGISTERS, false, true),
  /** dbcop's JSON and bincode. */
  DBCOP("dbcop", "JSON or bincode", Values.REGISTERS, false, true),
  /** Cobra's logs: a directory of them, or one log. */
  COBRA("cobra", "a directory of logs, or one", Values.REGISTERS, false, true);

  /**
   * The formats that {@linkplain #requiresSessionOrder require session order}, for help texts; a
   * test compares it with them.
   */
  public static final String REQUIRE_SESSION_ORDER = "plume, awdit, dbcop and cobra";

  private static final int HEAD_LENGTH = 1 << 16;
  private static final Pattern MICRO_OP =
      Pattern.compile(
          "\\[\\s*(?::|\")(append|w|r)\\b\"?[\\s,]+"
              + "(?:\\[[^\\[\\]]*+\\]|\\([^()]*+\\)|\"[^\"]*+\"|[^\\s,\\[\\]\"]+)[\\s,]+(\\[)?");
  private static final Pattern PLUME_LINE = Pattern.compile("^\\s*[rw]\\(-?\\d+,");
  private static final Pattern AWDIT_LINE = Pattern.compile("^\\s*[rw] \\d+ \\d+\\s*(?:$|\\n)");
  private static final int COBRA_START = 9;

  private final String id;
  private final String example;
  private final Values values;
  private final boolean hasRealTimeOrder;
  private final boolean requiresSessionOrder;

  private enum Values {
    LISTS,
    REGISTERS
  }

  ForeignFormat(
      String id,
      String example,
      Values values,
      boolean hasRealTimeOrder,
      boolean requiresSessionOrder) {
    this.id = id;
    this.example = example;
    this.values = values;
    this.hasRealTimeOrder = hasRealTimeOrder;
    this.requiresSessionOrder = requiresSessionOrder;
  }

  /** The name that users type. */
  public String id() {
    return id;
  }

  /** What its files look like, for display. */
  public String example() {
    return example;
  }

  /** Whether the format records the real-time order of transactions. */
  public boolean hasRealTimeOrder() {
    return hasRealTimeOrder;
  }

  /** Whether the levels of the format's own checkers include session order. */
  public boolean requiresSessionOrder() {
    return requiresSessionOrder;
  }

  /** Whether its rows are registers, of which a write replaces the value; otherwise lists. */
  public boolean isOfRegisters() {
    return values == Values.REGISTERS;
  }

  public static Optional<ForeignFormat> named(String id) {
    for (ForeignFormat format : values()) {
      if (format.id.equals(id)) {
        return Optional.of(format);
      }
    }
    return Optional.empty();
  }

  /** The format detected from a file's start; empty if it is none of these. */
  public static Optional<ForeignFormat> of(Path file) throws IOException {
    if (Files.isDirectory(file)) {
      return CobraReader.logs(file).isEmpty() ? Optional.empty() : Optional.of(COBRA);
    }
    String head = ByteCursor.head(file, HEAD_LENGTH);
    String text = head.stripLeading();
    if (PLUME_LINE.matcher(text).lookingAt()) {
      return Optional.of(PLUME);
    } else if (AWDIT_LINE.matcher(text).lookingAt()) {
      return Optional.of(AWDIT);
    }
    if (text.startsWith("{")
        || text.startsWith("[")
        || text.startsWith("(")
        || text.startsWith("#")
        || text.startsWith(";")) {
      return ofMaps(text);
    }
    if (isCobra(head)) {
      return Optional.of(COBRA);
    }
    return DbcopBincodeReader.looksLike(head) ? Optional.of(DBCOP) : Optional.empty();
  }

  private static Optional<ForeignFormat> ofMaps(String text) {
    if (DbcopJsonReader.looksLike(text)) {
      return Optional.of(DBCOP);
    }
    ForeignFormat byReads = null;
    Matcher matcher = MICRO_OP.matcher(text);
    while (matcher.find()) {
      if (matcher.group(1).equals("append")) {
        return Optional.of(ELLE_APPEND);
      } else if (matcher.group(1).equals("w")) {
        return Optional.of(ELLE_REGISTER);
      } else if (matcher.group(2) != null) {
        byReads = ELLE_APPEND;
      }
    }
    if (byReads != null) {
      return Optional.of(byReads);
    }
    return text.contains(":type") || text.contains("\"type\"")
        ? Optional.of(matcher.reset().find() ? ELLE_REGISTER : ELLE_APPEND)
        : Optional.empty();
  }

  /**
   * Whether a text starts like a log: with the start of a transaction, followed by a known record.
   */
  private static boolean isCobra(String head) {
    return !head.isEmpty()
        && head.charAt(0) == 'S'
        && (isRecord(head, COBRA_START) || isRecord(head, COBRA_START + Long.BYTES));
  }

  private static boolean isRecord(String head, int at) {
    return head.length() > at && "RWC".indexOf(head.charAt(at)) >= 0;
  }
}
