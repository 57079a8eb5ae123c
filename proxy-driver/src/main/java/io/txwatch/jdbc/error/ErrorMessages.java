package io.txwatch.jdbc.error;

import io.txwatch.dialect.ErrorChange;
import io.txwatch.product.registry.Products;
import java.sql.BatchUpdateException;
import java.sql.SQLException;
import java.util.Arrays;
import java.util.Locale;
import java.util.Objects;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * Drivers' errors with other messages, and all errors that they lead to. Class, SQLState, vendor
 * code, update counts and stack trace stay as they are. Vendors' classes are not ours to link with:
 * their constructors are found by name, and an error of a class that has none that fits stays
 * itself.
 */
public final class ErrorMessages {

  /** A number that stands by itself: no part of H2's {@code [90008-252]}. */
  private static final Pattern NUMBER =
      Pattern.compile("(?<![\\w.])(?<!\\d{5}-)-?\\d+(?:,\\d{3})*(?!\\d|\\.\\d)");

  /** What such a message mentions. */
  private static final Pattern OF_NUMBER = Pattern.compile("(?i)index|range|bounds");

  private static final int MAX_DEPTH = 100;

  private ErrorMessages() {}

  /** The error as it is to be shown; itself if that makes no difference. */
  public static SQLException change(SQLException error, ErrorChange change) {
    return change(error, change, 0);
  }

  private static SQLException change(SQLException error, ErrorChange change, int depth) {
    if (depth > MAX_DEPTH) {
      return error;
    }
    try {
      SQLException next = error.getNextException();
      SQLException shownNext = next == null ? null : change(next, change, depth + 1);
      Throwable cause = error.getCause();
      Throwable shownCause =
          cause == next
              ? shownNext
              : cause instanceof SQLException sql ? change(sql, change, depth + 1) : cause;
      SQLException shown = make(error, change, shownCause, shownNext);
      if (shown == error) {
        return error;
      }
      shown.setStackTrace(error.getStackTrace());
      if (shown.getCause() == null && shownCause != null) {
        shown.initCause(shownCause);
      }
      if (shown.getNextException() == null && shownNext != null) {
        shown.setNextException(shownNext);
      }
      for (Throwable suppressed : error.getSuppressed()) {
        shown.addSuppressed(
            suppressed instanceof SQLException sql ? change(sql, change, depth + 1) : suppressed);
      }
      return shown;
    } catch (ReflectiveOperationException | RuntimeException e) {
      return error;
    }
  }

  private static SQLException make(
      SQLException error,
      ErrorChange change,
      @Nullable Throwable cause,
      @Nullable SQLException next)
      throws ReflectiveOperationException {
    Class<? extends SQLException> type = error.getClass();
    String name = type.getName();
    if (name.startsWith("org.h2.jdbc.JdbcSQL")) {
      return ofH2(error, change, cause, next);
    }
    if (name.equals("org.h2.jdbc.JdbcBatchUpdateException")) {
      if (next == error.getNextException()) {
        return error;
      }
      var constructor = type.getDeclaredConstructor(SQLException.class, long[].class);
      constructor.setAccessible(true);
      return constructor.newInstance(next, ((BatchUpdateException) error).getLargeUpdateCounts());
    }
    Optional<SQLException> ofDriver = Products.shown(error, change);
    if (ofDriver.isPresent()) {
      return ofDriver.get();
    }
    String message = error.getMessage();
    String shown = message == null ? null : change.message(message);
    if (Objects.equals(message, shown)
        && cause == error.getCause()
        && next == error.getNextException()) {
      return error;
    }
    if (error instanceof BatchUpdateException batch && type == BatchUpdateException.class) {
      return new BatchUpdateException(
          shown, error.getSQLState(), error.getErrorCode(), batch.getLargeUpdateCounts(), cause);
    }
    if (name.equals("org.sqlite.SQLiteException")) {
      Object code = type.getMethod("getResultCode").invoke(error);
      return type.getConstructor(String.class, code.getClass()).newInstance(shown, code);
    }
    return type.getConstructor(String.class, String.class, int.class)
        .newInstance(shown, error.getSQLState(), error.getErrorCode());
  }

  /** H2 makes its message of two, of which one is the text, if it is about one. */
  private static SQLException ofH2(
      SQLException error,
      ErrorChange change,
      @Nullable Throwable cause,
      @Nullable SQLException next)
      throws ReflectiveOperationException {
    Class<? extends SQLException> type = error.getClass();
    String message = (String) type.getMethod("getOriginalMessage").invoke(error);
    String text = (String) type.getMethod("getSQL").invoke(error);
    String shown = change.message(message);
    String shownText = text == null ? null : change.text(text);
    if (shown.equals(message)
        && Objects.equals(text, shownText)
        && cause == error.getCause()
        && next == error.getNextException()) {
      return error;
    }
    return type.getConstructor(
            String.class, String.class, String.class, int.class, Throwable.class, String.class)
        .newInstance(shown, shownText, error.getSQLState(), error.getErrorCode(), cause, null);
  }

  /**
   * An error about a column or a parameter that there is not, in the application's numbers.
   *
   * @param behind the number that the driver was given
   * @param index the number that the application gave
   * @param count how many the driver knows
   * @param visible how many the application knows
   */
  public static SQLException ofNumber(
      SQLException error, int behind, int index, int count, int visible) {
    return change(
        error,
        message ->
            !OF_NUMBER.matcher(message).find()
                ? message
                : NUMBER
                    .matcher(message)
                    .replaceAll(
                        found -> {
                          boolean range = // the hyphen of "1-5" is none of the 5
                              found.group().startsWith("-")
                                  && found.start() > 0
                                  && Character.isDigit(message.charAt(found.start() - 1));
                          String number = found.group().substring(range ? 1 : 0);
                          return Matcher.quoteReplacement(
                              (range ? "-" : "") + shown(number, behind, index, count, visible));
                        }));
  }

  private static String shown(String number, int behind, int index, int count, int visible) {
    for (String form : Arrays.asList("%d", "%,d")) {
      if (behind != index && number.equals(String.format(Locale.ROOT, form, behind))) {
        return String.format(Locale.ROOT, form, index);
      }
      if (number.equals(String.format(Locale.ROOT, form, count))) {
        return String.format(Locale.ROOT, form, visible);
      }
    }
    return number;
  }
}
