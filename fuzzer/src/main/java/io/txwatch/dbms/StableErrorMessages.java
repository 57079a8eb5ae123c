package io.txwatch.dbms;

import java.sql.SQLException;
import java.util.regex.Pattern;

/** Error messages without the parts that differ in each run. */
public final class StableErrorMessages {

  /**
   * The number of a connection (MariaDB's driver), of a case's workspace, of an unnamed key (Derby,
   * H2), of a row (H2). H2 names a key by the other objects of its schema, present or past.
   */
  private static final Pattern RUN_SPECIFIC =
      Pattern.compile(
          "\\(conn=\\d+\\) |/\\* (key:)?\\d+ \\*/"
              + " |(?i)[\"'`]?\\btxwatch_\\w+\\b[\"'`]?\\.|\\bSQL\\d{10}-[0-9a-f-]+"
              + "|\\b(CONSTRAINT|PRIMARY_KEY)(_INDEX)?_[0-9A-F]+(_INDEX)?(_\\d+)?\\b:? ?");

  private StableErrorMessages() {}

  /** The message of an error; empty if it has none. */
  public static String of(SQLException error) {
    String message = error.getMessage();
    return message == null ? "" : RUN_SPECIFIC.matcher(message).replaceAll("").strip();
  }
}
