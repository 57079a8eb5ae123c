package io.txwatch.corpus.suite;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;
import java.util.regex.Pattern;

/**
 * The statements of a script that another project tests its DBMS with, in order.
 *
 * <p>Scripts are split simply, line by line. What is split wrongly is sent as it is: it fails raw
 * and watched.
 *
 * @param statements those to send
 * @param skipped the number of those that are not sent, see {@link Format}
 */
record ScriptFile(Path path, List<SqlLogicTestFile.Entry> statements, int skipped) {

  /** How the statements of a script are separated. */
  enum Format {
    /** sqllogictest. */
    SQLLOGICTEST,
    /** H2's {@code *.sql}: expected results begin with {@code >}, commands with {@code @}. */
    H2,
    /**
     * mysqltest's {@code *.test}. Not sent: commands of mysqltest, statements with its variables,
     * and what changes the server for others ({@code GLOBAL}, {@code SHUTDOWN}, accounts,
     * replication). Scripts that open connections are not sent at all.
     */
    MYSQLTEST,
  }

  private static final Set<String> MYSQLTEST_COMMANDS =
      Set.of(
          ("append_file assert break cat_file change_user character_set chmod connect connection"
                  + " copy_file copy_files dec delimiter die diff_files dirty_close disable_abort_on_error"
                  + " disable_connect_log disable_info disable_metadata disable_ps_protocol"
                  + " disable_query_log disable_reconnect disable_result_log disable_rpl_parse"
                  + " disable_session_track_info disable_testcase disable_view_protocol disable_warnings"
                  + " disable_cursor_protocol disable_ps2_protocol disable_service_connection"
                  + " disable_prepare_warnings disable_non_blocking_api enable_abort_on_error"
                  + " enable_connect_log enable_info enable_metadata enable_ps_protocol enable_query_log"
                  + " enable_reconnect enable_result_log enable_session_track_info enable_testcase"
                  + " enable_view_protocol enable_warnings enable_cursor_protocol enable_ps2_protocol"
                  + " enable_service_connection enable_prepare_warnings enable_non_blocking_api end"
                  + " disconnect echo error eval evalp exec exec_in_background exit expr"
                  + " file_exists force-cpdir force-rmdir horizontal_results if inc let list_files"
                  + " list_files_append_file list_files_write_file lowercase_result mkdir"
                  + " move_file output perl ping ps_prepare query query_get_value query_horizontal"
                  + " query_vertical reap remove_file remove_files_wildcard replace_column"
                  + " replace_numeric_round replace_regex replace_result require reset_connection"
                  + " result_format rmdir save_master_pos send send_eval send_quit send_shutdown"
                  + " shutdown_server skip sleep sorted_result partially_sorted_result source"
                  + " start_timer sync_slave_with_master sync_with_master system vertical_results"
                  + " wait_for_slave_to_stop while write_file write_line optimizer_trace")
              .split(" "));

  private static final Pattern CHANGES_SERVER =
      Pattern.compile(
          "(?is).*(?:\\bglobal\\b|general_log|log_output|\\bslow_log\\b|\\bshutdown\\b|\\bkill\\b"
              + "|\\bmysql\\.|\\buse\\s+`?mysql\\b|\\b(?:un)?install\\b|get_lock|\\bsleep\\b|benchmark\\("
              + "|\\bgtid_|reset\\s+(?:master|slave|binary)|purge\\s+|change\\s+(?:master|replication)"
              + "|(?:start|stop)\\s+(?:slave|replica)|flush\\s+|(?:create|drop|alter|rename)\\s+user"
              + "|\\bgrant\\b|\\brevoke\\b|set\\s+(?:@@\\w*\\.?)?password|set\\s+persist"
              + "|backup\\s+stage|\\bhandler\\b.*\\bpersist|sql_log_bin|innodb_monitor|binlog\\s+'"
              + "|set\\s+(?:default\\s+)?role|lock\\s+instance|clone\\s+).*");

  private static final Pattern SEVERAL_CONNECTIONS =
      Pattern.compile("(?im)^\\s*(?:--\\s*)?(?:connect|change_user)\\b|master-slave");

  ScriptFile {
    statements = List.copyOf(statements);
  }

  /**
   * Reads a script.
   *
   * @param engine the DBMS as sqllogictest names it
   * @param limit the maximum number of statements
   * @return empty if it needs several connections
   */
  static Optional<ScriptFile> read(Path path, Format format, String engine, int limit)
      throws IOException {
    if (format == Format.SQLLOGICTEST) {
      return Optional.of(
          new ScriptFile(path, SqlLogicTestFile.read(path, engine, limit).entries(), 0));
    }
    String text = new String(Files.readAllBytes(path), StandardCharsets.UTF_8);
    if (format == Format.MYSQLTEST && SEVERAL_CONNECTIONS.matcher(text).find()) {
      return Optional.empty();
    }
    return Optional.of(of(path, format, text, limit));
  }

  /** The statements of a text. */
  static ScriptFile of(Path path, Format format, String text, int limit) {
    List<SqlLogicTestFile.Entry> statements = new ArrayList<>();
    int skipped = 0;
    String delimiter = ";";
    StringBuilder statement = new StringBuilder();
    int first = 0;
    List<String> lines = text.lines().toList();
    for (int i = 0; i < lines.size() && statements.size() < limit; i++) {
      String line = lines.get(i);
      String stripped = line.strip();
      if (statement.isEmpty() && (stripped.isEmpty() || isNoStatement(format, stripped))) {
        continue;
      }
      if (format == Format.H2 && stripped.startsWith(">")) {
        statement.setLength(0); // the results of a statement that was split wrongly
        continue;
      }
      if (format == Format.MYSQLTEST && statement.isEmpty() && isDelimiter(stripped)) {
        String named = stripped.substring("delimiter".length()).strip();
        delimiter =
            named.length() > delimiter.length() && named.endsWith(delimiter)
                ? named.substring(0, named.length() - delimiter.length()).strip()
                : named;
        continue;
      }
      first = statement.isEmpty() ? i + 1 : first;
      statement.append(statement.isEmpty() ? "" : "\n").append(line);
      if (stripped.endsWith(delimiter)) {
        String sql = statement.substring(0, statement.lastIndexOf(delimiter));
        statement.setLength(0);
        if (sql.isBlank()) {
          continue;
        }
        if (isSent(format, sql)) {
          statements.add(new SqlLogicTestFile.Entry(first, sql));
        } else {
          skipped++;
        }
      } else if (format == Format.MYSQLTEST && isBlockCommand(statement.toString())) {
        statement.setLength(0);
      }
    }
    return new ScriptFile(path, statements, skipped);
  }

  private static boolean isDelimiter(String line) {
    return line.toLowerCase(Locale.ROOT).startsWith("delimiter ");
  }

  private static boolean isNoStatement(Format format, String line) {
    return format == Format.H2
        ? line.startsWith(">")
            || line.startsWith("--")
            || line.startsWith("@")
            || line.startsWith("#")
        : line.startsWith("#")
            || line.startsWith("--")
            || line.startsWith("{")
            || line.startsWith("}");
  }

  /** {@code if (…)} and {@code while (…)} have no delimiter. */
  private static boolean isBlockCommand(String text) {
    String word = firstWord(text);
    return word.equals("if") || word.equals("while") || word.equals("perl");
  }

  private static boolean isSent(Format format, String sql) {
    return format != Format.MYSQLTEST
        || (!MYSQLTEST_COMMANDS.contains(firstWord(sql))
            && sql.indexOf('$') < 0
            && !CHANGES_SERVER.matcher(sql).matches());
  }

  private static String firstWord(String sql) {
    return sql.strip().split("[^\\w-]", 2)[0].toLowerCase(Locale.ROOT);
  }
}
