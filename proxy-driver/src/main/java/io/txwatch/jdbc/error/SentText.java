package io.txwatch.jdbc.error;

import io.txwatch.dialect.ErrorChange;
import io.txwatch.history.WriterToken;
import io.txwatch.plan.RewritePlan;
import io.txwatch.plan.ServerText;
import io.txwatch.sql.dialect.Dialect;
import java.util.regex.MatchResult;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * A rewritten text that was sent, and what drivers state of it: errors, or a prepared statement's
 * {@code toString()}. All of it is shown as it is of the application's own text.
 *
 * @param sent the text, with a writer token or with parameters
 * @param prepared true if it is a prepared statement's
 */
public record SentText(RewritePlan plan, String sent, boolean prepared) implements ErrorChange {

  /** A row's id and its writers, as H2 gives the values of a row in a message. */
  private static final Pattern OUR_VALUES =
      Pattern.compile(
          ", (?:CAST\\()?(?:-?\\d+|null)(?: AS BIGINT\\))?, (?:'(?:[-\\w]{%d})*'|null)(?=[,)])"
              .formatted(WriterToken.LENGTH),
          Pattern.CASE_INSENSITIVE);

  /** A row in a message of H2's. */
  private static final Pattern ROW = Pattern.compile("(?s)\\( /\\* key:.*\\)");

  /** A value in a text: strings in it end where their quotes do. */
  private static final String VALUE = "([^']*?(?:'[^']*+(?:''[^']*+)*+'[^']*?)*?)";

  /** The same where a backslash may stand before a quote. */
  private static final String BACKSLASHED_VALUE =
      "([^']*?(?:'[^'\\\\]*+(?:(?:''|\\\\.)[^'\\\\]*+)*+'[^']*?)*?)";

  /** What pgjdbc puts between the items of a batch. */
  private static final String BETWEEN_BATCHED = ";\n";

  private static final Pattern UNSET =
      Pattern.compile(
          "(?<=No value specified for parameter |Parameter at position |Parameter \"#)\\d{1,9}");

  /** The text of a prepared statement. */
  public static SentText prepared(RewritePlan plan) {
    return new SentText(plan, plan.preparedSql(), true);
  }

  // ---------------------------------------------------------------- errors

  @Override
  public String message(String message) {
    String shown = message.replace(sent, plan.original());
    if (!plan.usesSystemColumns()) {
      shown = ROW.matcher(shown).replaceAll(SentText::withoutOurs);
    }
    if (prepared) {
      shown =
          UNSET
              .matcher(shown)
              .replaceAll(n -> "" + Places.front(plan, Integer.parseInt(n.group())));
    }
    return shown;
  }

  private static String withoutOurs(MatchResult row) {
    Matcher values = OUR_VALUES.matcher(row.group());
    int from = -1;
    int to = -1;
    while (values.find(from < 0 ? 0 : from + 1)) { // the last ones
      from = values.start();
      to = values.end();
    }
    return Matcher.quoteReplacement(
        from < 0 ? row.group() : row.group().substring(0, from) + row.group().substring(to));
  }

  @Override
  public String text(String sql) {
    return sql.equals(sent)
        ? plan.original()
        : sql.contains("txw_") ? plan.original().strip() : sql; // as H2 has it
  }

  @Override
  public int position(int position, Dialect dialect) {
    ServerText ours = new ServerText(sent, prepared, dialect);
    ServerText theApplications = new ServerText(plan.original(), prepared, dialect);
    int end = ours.position(sent.length());
    if (position > end) { // in what the driver has appended, such as RETURNING for generated keys
      return position - end + theApplications.position(plan.original().length());
    }
    return theApplications.position(plan.originalOffset(ours.offset(position), sent));
  }

  /**
   * The application's text with the values that stand in ours, as PostgreSQL's driver shows them;
   * as it is if they are not found.
   */
  public String filledIn(String ours) {
    try {
      return filledIn(ours, ours.contains("\\'") ? BACKSLASHED_VALUE : VALUE);
    } catch (StackOverflowError e) {
      return plan.original(); // of very many values
    }
  }

  private String filledIn(String ours, String value) {
    String[] around = plan.preparedSql().split("\\?", -1);
    String[] pieces = plan.original().split("\\?", -1);
    int places = plan.parameterCount() + plan.addedParameters();
    if (around.length - 1 != places || pieces.length - 1 != plan.parameterCount()) {
      return plan.original(); // some question mark is no parameter
    }
    StringBuilder pattern = new StringBuilder("(?s)");
    for (int i = 0; i < around.length; i++) {
      pattern.append(i == 0 ? "" : value).append(Pattern.quote(around[i]));
    }
    pattern.append("(?=\\z|").append(BETWEEN_BATCHED).append(')');
    Matcher values = Pattern.compile(pattern.toString()).matcher(ours);
    StringBuilder filled = new StringBuilder();
    int at = 0;
    while (values.region(at, ours.length()).lookingAt()) {
      filled.append(pieces[0]);
      for (int i = 1; i < pieces.length; i++) {
        filled.append(values.group(plan.parameterIndex()[i - 1])).append(pieces[i]);
      }
      if (values.end() == ours.length()) {
        return filled.toString();
      }
      filled.append(BETWEEN_BATCHED);
      at = values.end() + BETWEEN_BATCHED.length();
    }
    return plan.original();
  }
}
