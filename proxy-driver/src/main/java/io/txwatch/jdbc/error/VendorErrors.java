package io.txwatch.jdbc.error;

import io.txwatch.capture.TransactionRules;
import io.txwatch.catalog.AuxiliaryColumns;
import io.txwatch.dialect.DialectSql;
import io.txwatch.dialect.ErrorChange;
import io.txwatch.history.StatementKind;
import io.txwatch.plan.RewritePlan;
import io.txwatch.sql.dialect.Dialect;
import java.sql.BatchUpdateException;
import java.sql.SQLException;
import java.sql.SQLTimeoutException;
import java.sql.SQLTransientException;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.function.BiFunction;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * The errors of drivers: whether one comes from what we added to a text, and what is put right
 * about it so that it mentions the application's text. Class, SQLState and vendor code are never
 * touched.
 */
public final class VendorErrors {

  private static final Pattern BATCH_ENTRY =
      Pattern.compile("(?s)Batch entry (?<item>\\d{1,9}) (?<text>.*?)(?<rest> was aborted.*)");

  /** How the drivers of PostgreSQL and SQLite name the item of a batch that has failed. */
  private static final Pattern ENTRY = Pattern.compile("(?is)batch entry (?<item>\\d{1,9})\\b.*");

  /** What pgjdbc puts before the error of an item, whose text it repeats. */
  private static final Pattern REPEATED_ITEM =
      Pattern.compile("(?s)\\ABatch entry \\d{1,9} .* was aborted");

  /** Classes of SQLState: not supported, no such schema or database, syntax or right, too large. */
  private static final List<String> OF_TEXT = List.of("0A", "3D", "3F", "42", "54");

  /**
   * Classes of SQLState: of functions and procedures, of the transaction, of locks, of time, of
   * what a program raises.
   */
  private static final List<String> OF_WAIT_OR_CODE =
      List.of("25", "2F", "38", "39", "40", "45", "53", "55", "57", "70", "HYT", "P0");

  /** Of texts that are too large: MySQL's and MariaDB's; H2's. */
  private static final Set<Integer> OF_LIMIT = Set.of(1117, 1390, 1436, 54011);

  private VendorErrors() {}

  /**
   * True if an error of a rewritten text may come from what we added, and the application's own
   * text may be sent after it: a query after any error but that of a wait or of code that the
   * application had executed, and a write after those that the DBMS reports before it executes
   * anything. Whether the DBMS took this very text before states nothing: somebody else may have
   * changed the tables since.
   */
  public static boolean mayBeOurs(RewritePlan plan, SQLException error, DialectSql sql) {
    boolean plainest = !plan.isRewritten();
    if (plainest || TransactionRules.connectionLost(error)) {
      return false; // there is no other text to try
    }
    if (isAboutOurs(error)) {
      return true;
    }
    return isOfText(error, sql)
        || (plan.kind() == StatementKind.SELECT && !isOfWaitOrCode(error, sql));
  }

  /** True if the DBMS has refused a text without executing anything of it. */
  public static boolean isOfText(SQLException error, DialectSql sql) {
    return startsWithAny(error.getSQLState(), OF_TEXT) || sql.mayRefuseText(error.getErrorCode());
  }

  /** True if what failed is a wait, a code of the application's, or its transaction. */
  private static boolean isOfWaitOrCode(SQLException error, DialectSql sql) {
    return error instanceof SQLTimeoutException
        || error instanceof SQLTransientException
        || startsWithAny(error.getSQLState(), OF_WAIT_OR_CODE)
        || sql.endsWait(error.getErrorCode());
  }

  private static boolean startsWithAny(@Nullable String state, List<String> classes) {
    return state != null && classes.stream().anyMatch(state::startsWith);
  }

  /** True if an error is that a text is larger, in whatever way, than the DBMS takes it. */
  public static boolean isOfLimit(SQLException error) {
    String state = error.getSQLState();
    return (state != null && state.startsWith("54")) || OF_LIMIT.contains(error.getErrorCode());
  }

  /** The item of a batch that an error names; -1 if it names none. */
  public static int entry(SQLException error) {
    Matcher entry = ENTRY.matcher(String.valueOf(error.getMessage()));
    return entry.matches() ? Integer.parseInt(entry.group("item")) : -1;
  }

  /** True if the message names something of ours, the statement left out that drivers repeat. */
  public static boolean isAboutOurs(SQLException error) {
    String message = error.getMessage();
    if (message == null) {
      return false;
    }
    int statement = message.indexOf("; SQL statement:");
    String about = statement < 0 ? message : message.substring(0, statement);
    about = REPEATED_ITEM.matcher(about).replaceFirst("");
    about = about.toLowerCase(Locale.ROOT);
    return about.contains(AuxiliaryColumns.ROW_ID) || about.contains(AuxiliaryColumns.WRITERS);
  }

  /** An error of a rewritten text, speaking of the application's own. */
  public static SQLException of(SQLException error, SentText text) {
    return text.plan().isRewritten() ? ErrorMessages.change(error, text) : error;
  }

  /**
   * The error of a batch.
   *
   * @param texts its items' texts; one if all have the same
   */
  public static BatchUpdateException ofBatch(BatchUpdateException error, List<SentText> texts) {
    Matcher entry = BATCH_ENTRY.matcher(String.valueOf(error.getMessage()));
    int item =
        texts.size() == 1
            ? 0
            : entry.matches() ? Integer.parseInt(entry.group("item")) : texts.size();
    ErrorChange change = item < texts.size() ? new OfEntry(texts.get(item)) : new OfAny(texts);
    return (BatchUpdateException) ErrorMessages.change(error, change);
  }

  /** pgjdbc's error of a batch repeats the text that failed, with its parameters filled in. */
  private record OfEntry(SentText text) implements ErrorChange {
    @Override
    public String message(String message) {
      if (!text.plan().isRewritten()) {
        return message;
      }
      Matcher entry = BATCH_ENTRY.matcher(message);
      return entry.matches()
          ? "Batch entry "
              + entry.group("item")
              + " "
              + text.filledIn(entry.group("text"))
              + text.message(entry.group("rest"))
          : text.message(message);
    }

    @Override
    public String text(String sql) {
      return text.text(sql);
    }

    @Override
    public int position(int position, Dialect dialect) {
      return text.plan().isRewritten() ? text.position(position, dialect) : position;
    }
  }

  /** An error of some item of a batch, which is found by what the error states. */
  private record OfAny(List<SentText> texts) implements ErrorChange {
    @Override
    public String message(String message) {
      return first(message, SentText::message);
    }

    @Override
    public String text(String sql) {
      return texts.stream()
          .filter(item -> sql.equals(item.sent().strip()))
          .findFirst()
          .map(item -> item.text(sql))
          .orElse(sql);
    }

    private String first(String text, BiFunction<SentText, String, String> change) {
      for (SentText item : texts) {
        String shown = item.plan().isRewritten() ? change.apply(item, text) : text;
        if (!shown.equals(text)) {
          return shown;
        }
      }
      return text;
    }
  }
}
