package io.txwatch.jdbc.plan;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.Arrays;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * With what a statement was made.
 *
 * @param scrollable true if its results can be moved in both directions
 * @param updatable true if rows can be written through its results
 * @param keysAsked true if it was prepared to give generated keys
 * @param returning what PostgreSQL's driver appends to a write for that; empty if it is not known
 * @param preparer prepares another text in the same way
 */
public record StatementOptions(
    boolean scrollable, boolean updatable, boolean keysAsked, String returning, Preparer preparer) {

  /** Names that mean the same with and without quotes. */
  private static final Pattern PLAIN_NAME = Pattern.compile("[a-z_][a-z0-9_]*");

  /** Prepares a text with the options that the application chose. */
  @FunctionalInterface
  public interface Preparer {
    /** Prepares it on the driver's connection. */
    PreparedStatement prepare(Connection real, String sql) throws SQLException;
  }

  /** What {@code createStatement()} and {@code prepareStatement(sql)} give. */
  public static final StatementOptions PLAIN =
      new StatementOptions(false, false, false, "", Connection::prepareStatement);

  public static StatementOptions of(int type, int concurrency, Preparer preparer) {
    return new StatementOptions(
        type != ResultSet.TYPE_FORWARD_ONLY,
        concurrency == ResultSet.CONCUR_UPDATABLE,
        false,
        "",
        preparer);
  }

  /** Generated keys in columns that the driver selects. */
  public static StatementOptions keys(Preparer preparer) {
    return new StatementOptions(false, false, true, "\nRETURNING *", preparer);
  }

  /** Generated keys in columns with these numbers, which PostgreSQL's driver does not support. */
  public static StatementOptions keysByNumber(Preparer preparer) {
    return new StatementOptions(false, false, true, "", preparer);
  }

  /** Those of a text that is executed on a statement which was prepared with another one. */
  public StatementOptions ofOtherText() {
    return returning.isEmpty()
        ? this
        : new StatementOptions(scrollable, updatable, keysAsked, "", preparer);
  }

  /** Generated keys in columns with these names. */
  public static StatementOptions keys(String @Nullable [] names, Preparer preparer) {
    boolean plain =
        names != null
            && names.length > 0
            && Arrays.stream(names).allMatch(n -> n != null && PLAIN_NAME.matcher(n).matches());
    String returning =
        plain
            ? Arrays.stream(names).collect(Collectors.joining("\", \"", "\nRETURNING \"", "\""))
            : "";
    return new StatementOptions(false, false, true, returning, preparer);
  }
}
