package io.txwatch.guarantee;

import io.txwatch.sql.dialect.Dialect;
import io.txwatch.sql.dialect.Syntax;
import io.txwatch.sql.syntax.Assignment;
import io.txwatch.sql.syntax.Expression;
import io.txwatch.sql.syntax.Identifiers;
import io.txwatch.sql.syntax.Node;
import io.txwatch.sql.syntax.Source;
import io.txwatch.sql.syntax.Span;
import io.txwatch.sql.syntax.Statement;
import io.txwatch.sql.syntax.StatementParser;
import io.txwatch.sql.syntax.StatementSplitter;
import io.txwatch.sql.syntax.TokenKind;
import io.txwatch.sql.syntax.Tokenizer;
import io.txwatch.sql.syntax.Tokens;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/**
 * The assignments of an UPDATE: which columns it computes from the row, and which it overwrites
 * with other values.
 *
 * <p>If it is uncertain whether a column determines a new value (a CASE, a COALESCE, a subquery, a
 * row of values that cannot be paired, an executable comment), the whole statement counts as not
 * understood.
 *
 * @param computed columns computed from themselves: {@code bal} in {@code SET bal = bal - ?}
 * @param overwritten columns with new values from elsewhere
 * @param checksComputed whether the WHERE clause names one of the computed columns
 */
record UpdateAssignments(Set<String> computed, Set<String> overwritten, boolean checksComputed) {

  /** Functions that make uncertain whether a column in their arguments determines the new value. */
  private static final Set<String> CHOOSING =
      Set.of("coalesce", "decode", "if", "ifnull", "iif", "isnull", "nullif", "nvl", "values");

  /** What depends neither on a row nor on anything that was read. */
  private static final Set<String> ROW_INDEPENDENT =
      Set.of(
          "clock_timestamp",
          "current_date",
          "current_time",
          "current_timestamp",
          "default",
          "getdate",
          "localtime",
          "localtimestamp",
          "now",
          "statement_timestamp",
          "sysdate",
          "systimestamp",
          "transaction_timestamp",
          "utc_timestamp");

  /** Preserves the order of the columns. */
  UpdateAssignments {
    computed = Collections.unmodifiableSet(new LinkedHashSet<>(computed));
    overwritten = Collections.unmodifiableSet(new LinkedHashSet<>(overwritten));
  }

  /** The assignments of a statement; empty if it is not an UPDATE or is not understood. */
  static Optional<UpdateAssignments> of(String sql, Dialect dialect) {
    Tokens tokens = Tokenizer.tokenize(sql, dialect);
    if (tokens.isBroken()) {
      return Optional.empty();
    }
    for (int i = 0; i < tokens.count(); i++) {
      if (tokens.is(i, TokenKind.EXECUTABLE_COMMENT)) {
        return Optional.empty();
      }
    }
    List<Span> statements = StatementSplitter.split(tokens, dialect);
    return !statements.isEmpty()
            && StatementParser.parse(tokens, dialect, statements.get(0))
                instanceof Statement.Update update
            && update.with().isEmpty()
        ? of(update, tokens, dialect)
        : Optional.empty();
  }

  private static Optional<UpdateAssignments> of(
      Statement.Update update, Tokens tokens, Dialect dialect) {
    Set<String> names = update.sources().isEmpty() ? Set.of() : names(update.sources().get(0));
    Reading reading = new Reading(tokens, dialect.grammar().has(Syntax.DOUBLE_QUOTED_STRINGS));
    for (Assignment assignment : update.assignments()) {
      if (!reading.assign(assignment, names)) {
        return Optional.empty();
      }
    }
    reading.overwritten.removeAll(reading.computed);
    boolean checks =
        update.where().isPresent()
            && reading.computed.stream()
                .anyMatch(column -> reading.isNamed(column, update.where().get(), names));
    return Optional.of(new UpdateAssignments(reading.computed, reading.overwritten, checks));
  }

  /** The name and the alias of the first table. */
  private static Set<String> names(Source first) {
    Set<String> names = new LinkedHashSet<>();
    first.forEach(
        node -> {
          if (node instanceof Source.Table table && names.isEmpty()) {
            names.add(last(table.name()));
            names.add(Identifiers.fold(table.exposedName()));
          }
        });
    return names;
  }

  private static String last(List<String> name) {
    return Identifiers.fold(name.get(name.size() - 1));
  }

  /** What the assignments up to one do. */
  private static final class Reading {
    private final Tokens tokens;

    /** Whether double quotes enclose a text, and no name. */
    private final boolean hasDoubleQuotedTexts;

    private final Set<String> computed = new LinkedHashSet<>();
    private final Set<String> overwritten = new LinkedHashSet<>();

    private Reading(Tokens tokens, boolean hasDoubleQuotedTexts) {
      this.tokens = tokens;
      this.hasDoubleQuotedTexts = hasDoubleQuotedTexts;
    }

    /** Adds an assignment; false if it is not understood. */
    private boolean assign(Assignment assignment, Set<String> names) {
      List<Expression.Name> targets = assignment.targets();
      if (targets.size() == 1) {
        return assign(targets.get(0), assignment.value(), names);
      }
      if (!(assignment.value() instanceof Expression.Tuple row)
          || row.items().size() != targets.size()) {
        return false;
      }
      for (int i = 0; i < targets.size(); i++) {
        if (!assign(targets.get(i), row.items().get(i), names)) {
          return false;
        }
      }
      return !targets.isEmpty();
    }

    /**
     * Adds a column.
     *
     * @param names the table's; of a join a qualified column may be the second table's
     */
    private boolean assign(Expression.Name target, Expression value, Set<String> names) {
      String column = Identifiers.fold(target.last());
      int qualifiers = target.parts().size() - 1;
      Set<String> own =
          qualifiers == 0 ? names : Set.of(last(target.parts().subList(0, qualifiers)));
      List<Node> parts = new ArrayList<>();
      value.forEach(parts::add);
      if (parts.stream().anyMatch(UpdateAssignments::isUncertain)) {
        return false;
      }
      if (isNamed(column, value, own)) {
        if (!(value.unwrapped() instanceof Expression.Name)) { // SET x = x changes nothing
          computed.add(column);
        }
      } else if (!isRowIndependent(parts)) {
        overwritten.add(column);
      }
      return true;
    }

    private boolean isRowIndependent(List<Node> parts) {
      boolean independent = false;
      for (Node part : parts) {
        String word = word(part);
        if (!word.isEmpty() && !ROW_INDEPENDENT.contains(word)) {
          return false;
        }
        independent |= !word.isEmpty();
      }
      return independent;
    }

    /** The name of a column or a function, or DEFAULT; empty for anything else. */
    private String word(Node part) {
      if (part instanceof Expression.Name name) {
        return isText(name) ? "" : Identifiers.fold(name.last());
      } else if (part instanceof Expression.Call call) {
        return last(call.name());
      }
      boolean isDefault =
          part instanceof Expression.Literal && tokens.isWord(part.span().from(), "DEFAULT");
      return isDefault ? "default" : "";
    }

    private boolean isText(Expression.Name name) {
      return hasDoubleQuotedTexts && name.last().startsWith("\"");
    }

    /** Whether a column of the table is named, with or without the table's name. */
    private boolean isNamed(String column, Node in, Set<String> names) {
      boolean[] found = {false};
      in.forEach(
          node -> {
            if (node instanceof Expression.Name name
                && !isText(name)
                && Identifiers.fold(name.last()).equals(column)) {
              int qualifiers = name.parts().size() - 1;
              found[0] |=
                  qualifiers == 0 || names.contains(last(name.parts().subList(0, qualifiers)));
            }
          });
      return found[0];
    }
  }

  private static boolean isUncertain(Node part) {
    return part instanceof Expression.Case
        || part instanceof Expression.Subquery
        || part instanceof Expression.Opaque
        || part instanceof Expression.Call call && CHOOSING.contains(last(call.name()));
  }
}
