package io.txwatch.dialect;

import io.txwatch.sql.syntax.Span;
import io.txwatch.sql.syntax.StatementSplitter;
import io.txwatch.sql.syntax.Tokens;
import java.util.List;
import java.util.Locale;

/**
 * What a text does to the schemas in which its session looks unqualified names up. What is not
 * understood changes them to unknown ones.
 *
 * @param names where they are looked up, for {@link Effect#TO}: as they stand in the text; a string
 *     as the name in quotes that it means
 * @param isLocal true if it holds until the transaction ends
 */
public record PathChange(Effect effect, List<String> names, boolean isLocal) {

  /** What becomes of it. */
  public enum Effect {
    /** It stays. */
    NONE,
    /** The named schemas. */
    TO,
    /** As when the session began. */
    RESET,
    /** As when the session began, and as its own user, too. */
    RESET_ALL,
    /** Not known. */
    UNKNOWN,
    /** Not known, and the session may have taken a role. */
    UNKNOWN_ROLE,
    /** Not known, and the session may have become another user. */
    UNKNOWN_USER,
    /** The session takes a role. */
    ROLE,
    /** The session has the role that it began with. */
    OWN_ROLE,
    /** The session becomes another user. */
    USER
  }

  /** It stays. */
  public static final PathChange NONE = new PathChange(Effect.NONE, List.of(), false);

  /** The session looks names up in unknown schemas. */
  public static PathChange unknown(boolean local) {
    return new PathChange(Effect.UNKNOWN, List.of(), local);
  }

  /** An effect that needs no names. */
  public static PathChange of(Effect effect, boolean local) {
    return new PathChange(effect, List.of(), local);
  }

  /** What a text does that was executed. */
  public static PathChange of(Tokens tokens, DialectSql sql) {
    String text = tokens.text();
    List<Span> statements = StatementSplitter.split(tokens, sql.dialect());
    boolean changes = false;
    for (Span range : statements) {
      PathChange change = sql.pathChange(new PathStatement(tokens, range.from(), range.to()));
      if (statements.size() == 1 && !tokens.isBroken()) {
        return change.effect == Effect.UNKNOWN ? withRole(change, text) : change;
      }
      changes |= change.effect != Effect.NONE;
    }
    return changes ? withRole(unknown(false), text) : NONE;
  }

  /** A text of which it is not known what it does may change the role, too, if it names one. */
  private static PathChange withRole(PathChange unknown, String sql) {
    String text = sql.toLowerCase(Locale.ROOT);
    Effect effect =
        text.contains("authorization")
            ? Effect.UNKNOWN_USER
            : text.contains("role") ? Effect.UNKNOWN_ROLE : Effect.UNKNOWN;
    return new PathChange(effect, List.of(), unknown.isLocal);
  }
}
