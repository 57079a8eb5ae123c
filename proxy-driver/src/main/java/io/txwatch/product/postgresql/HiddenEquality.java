package io.txwatch.product.postgresql;

import static io.txwatch.product.postgresql.PgCatalogNames.near;
import static io.txwatch.product.postgresql.PgCatalogNames.next;

import java.util.ArrayList;
import java.util.List;

/**
 * {@code CASE x WHEN y} and {@code NULLIF(x, y)} compare by an operator {@code =} that PostgreSQL
 * looks up in the path. They are written out, so that it can be named.
 */
public final class HiddenEquality {

  private HiddenEquality() {}

  /** Writes them out in the tokens of a text, which may be blank. */
  static void writeOut(List<String> tokens) {
    for (int i = tokens.size() - 1; i >= 0; i--) { // the inner ones first
      writeOutCase(tokens, i);
      writeOutNullif(tokens, i);
    }
  }

  /** {@code CASE x WHEN y THEN} as {@code CASE WHEN x = y THEN}. */
  private static void writeOutCase(List<String> tokens, int at) {
    if (!isWord(tokens, at, "case") || near(tokens, at, 1).equalsIgnoreCase("when")) {
      return;
    }
    int depth = 0;
    int when = at;
    for (int i = at + 1; i < tokens.size() && depth >= 0; i++) {
      if (depth == 0 && isWord(tokens, i, "when")) {
        if (when == at) {
          when = i;
        }
        List<String> operand = List.copyOf(tokens.subList(at + 1, when));
        tokens.addAll(i + 1, operand);
        tokens.add(i + 1 + operand.size(), "=");
        i += operand.size() + 1;
      } else {
        depth += isWord(tokens, i, "case") ? 1 : isWord(tokens, i, "end") ? -1 : 0;
      }
    }
    tokens.subList(at + 1, when).clear();
    tokens.add(at + 1, " ");
  }

  /** {@code NULLIF(x, y)} as {@code CASE WHEN x = y THEN NULL ELSE x END}. */
  private static void writeOutNullif(List<String> tokens, int at) {
    if (!isWord(tokens, at, "nullif") || !next(tokens, at).equals("(")) {
      return;
    }
    int depth = 0;
    int comma = at;
    int close = at;
    for (int i = at + 1; close == at; i++) {
      String token = tokens.get(i);
      depth += token.equals("(") ? 1 : token.equals(")") ? -1 : 0;
      comma = depth == 1 && token.equals(",") ? i : comma;
      close = depth == 0 ? i : close;
    }
    List<String> written = new ArrayList<>(List.of("case", " ", "when", " "));
    List<String> first = List.copyOf(tokens.subList(at + 2, comma));
    written.addAll(first);
    written.addAll(List.of(" ", "="));
    written.addAll(tokens.subList(comma + 1, close));
    written.addAll(List.of(" ", "then", " ", "null", " ", "else", " "));
    written.addAll(first);
    written.addAll(List.of(" ", "end"));
    List<String> place = tokens.subList(at, close + 1);
    place.clear();
    place.addAll(written);
  }

  private static boolean isWord(List<String> tokens, int i, String word) {
    return tokens.get(i).equalsIgnoreCase(word) && !near(tokens, i, -1).equals(".");
  }
}
