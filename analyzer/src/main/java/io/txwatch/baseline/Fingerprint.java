package io.txwatch.baseline;

import io.txwatch.anomaly.Anomaly;
import io.txwatch.anomaly.ObservedStatement;
import io.txwatch.anomaly.ObservedTransaction;
import io.txwatch.anomaly.Verdict;
import io.txwatch.history.CallSite;
import io.txwatch.sql.dialect.Dialect;
import io.txwatch.sql.syntax.TokenKind;
import io.txwatch.sql.syntax.Tokenizer;
import io.txwatch.sql.syntax.Tokens;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.Collection;
import java.util.HexFormat;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.function.BiFunction;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * Identifies a kind of anomaly over several runs, and while its code is edited: {@code
 * 7d3f9a2c-41b7}.
 *
 * <p>The part before the hyphen depends on the phenomenon, and on the dependencies between
 * statements: kinds, tables, and texts without values, blanks, comments and the case of words. The
 * part behind it depends on the operations that execute the statements: the names of the
 * transactions, or the application's methods where transactions have no name. Lines, rows, ids,
 * times, levels and counts do not matter, nor does how many transactions a cycle has. A violation
 * never has the fingerprint of a hazard.
 *
 * @param statements the first part: eight hexadecimal digits
 * @param operations the second part: four hexadecimal digits
 */
public record Fingerprint(String statements, String operations) {

  private static final int STATEMENT_BYTES = 4;
  private static final int OPERATION_BYTES = 2;

  private static final Pattern TEXT = Pattern.compile("([0-9a-f]{8})-([0-9a-f]{4})");
  private static final Pattern LIST = Pattern.compile("\\( \\?(?: , \\?)+ \\)");
  private static final Pattern LISTS = Pattern.compile("\\( \\? \\)(?: , \\( \\? \\))+");

  /** The fingerprint of an anomaly. */
  public static Fingerprint of(Anomaly anomaly) {
    return new Fingerprint(
        digest(anomaly, STATEMENT_BYTES, Fingerprint::text),
        digest(anomaly, OPERATION_BYTES, Fingerprint::operation));
  }

  /** The fingerprint that a text contains; empty if it is none. */
  public static Optional<Fingerprint> parse(String text) {
    Matcher matcher = TEXT.matcher(text);
    return matcher.matches()
        ? Optional.of(new Fingerprint(matcher.group(1), matcher.group(2)))
        : Optional.empty();
  }

  /**
   * Whether another one is of the same phenomenon through the same statements: of the same kind of
   * anomaly, if an operation was renamed.
   */
  public boolean hasStatementsOf(Fingerprint other) {
    return statements.equals(other.statements);
  }

  /**
   * The kinds whose operations were renamed: those that alone have the statements of one kind that
   * is gone, which alone has them, too.
   *
   * @param gone kinds that are no longer there
   * @param added kinds that were not there before
   * @return the former id by the present one
   */
  public static Map<Fingerprint, Fingerprint> renamed(
      Collection<Fingerprint> gone, Collection<Fingerprint> added) {
    Map<Fingerprint, Fingerprint> renamed = new LinkedHashMap<>();
    for (Fingerprint id : added) {
      List<Fingerprint> before = gone.stream().filter(id::hasStatementsOf).toList();
      if (before.size() == 1 && added.stream().filter(id::hasStatementsOf).count() == 1) {
        renamed.put(id, before.get(0));
      }
    }
    return renamed;
  }

  @Override
  public String toString() {
    return statements + "-" + operations;
  }

  private static String digest(
      Anomaly anomaly, int bytes, BiFunction<Anomaly, @Nullable End, String> of) {
    List<String> edges =
        anomaly.cycle().stream()
            .map(
                edge ->
                    String.join(
                        "\n",
                        edge.kind().name(),
                        edge.table(),
                        of.apply(anomaly, End.of(anomaly, edge.from(), edge.fromStatement())),
                        of.apply(anomaly, End.of(anomaly, edge.to(), edge.toStatement()))))
            .distinct()
            .sorted()
            .toList();
    String identity =
        anomaly.phenomenon().name()
            + (anomaly.verdict() == Verdict.VIOLATION ? "\nVIOLATION\n" : "\n")
            + String.join("\n\n", edges);
    try {
      byte[] digest =
          MessageDigest.getInstance("SHA-256").digest(identity.getBytes(StandardCharsets.UTF_8));
      return HexFormat.of().formatHex(digest, 0, bytes);
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException(e); // every JDK has it
    }
  }

  private static String text(Anomaly anomaly, @Nullable End end) {
    return end == null
        ? ""
        : withoutValues(end.statement.sql(), Dialect.of(anomaly.database().product().name()));
  }

  /**
   * A text as its tokens, with a blank between two, in which literals and parameters are equal, and
   * lists of them.
   */
  static String withoutValues(String sql, Dialect dialect) {
    Tokens tokens = Tokenizer.tokenize(sql, dialect);
    StringBuilder text = new StringBuilder(sql.length());
    for (int i = 0; i < tokens.count(); i++) {
      String token =
          switch (tokens.kind(i)) {
            case STRING, NUMBER, PARAMETER, NUMBERED_PARAMETER, NAMED_PARAMETER -> "?";
            case WORD -> tokens.text(i).toUpperCase(Locale.ROOT);
            default -> tokens.text(i);
          };
      boolean isLast = i == tokens.count() - 1;
      if (!(isLast && tokens.is(i, TokenKind.SEMICOLON))) {
        text.append(text.isEmpty() ? "" : " ").append(token);
      }
    }
    String lists = LIST.matcher(text).replaceAll("( ? )");
    return LISTS.matcher(lists).replaceAll("( ? )");
  }

  private static String operation(Anomaly anomaly, @Nullable End end) {
    if (end == null) {
      return "";
    } else if (!end.transaction.name().isEmpty()) {
      return end.transaction.name();
    }
    String site = end.statement.callSite();
    return CallSite.method(site) + " " + CallSite.callerMethod(site);
  }

  /** A statement at one end of a dependency, with its transaction. */
  private record End(ObservedTransaction transaction, ObservedStatement statement) {

    /** Null if the anomaly does not contain the statement. */
    static @Nullable End of(Anomaly anomaly, long transaction, int statement) {
      for (ObservedTransaction observed : anomaly.transactions()) {
        for (ObservedStatement one : observed.statements()) {
          if (observed.id() == transaction && one.number() == statement) {
            return new End(observed, one);
          }
        }
      }
      return null;
    }
  }
}
