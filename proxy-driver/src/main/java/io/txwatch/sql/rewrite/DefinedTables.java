package io.txwatch.sql.rewrite;

import io.txwatch.sql.Catalog;
import io.txwatch.sql.syntax.Identifiers;
import io.txwatch.sql.syntax.Span;
import io.txwatch.sql.syntax.Tokens;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * The catalog as the statements of one text see it, those before them having defined tables: a
 * table that was dropped, or made, has no auxiliary columns any more, or not yet; of one that was
 * altered the columns are not known.
 */
final class DefinedTables implements Catalog {

  private final Catalog catalog;
  private final Map<List<String>, Boolean> altered = new HashMap<>();

  DefinedTables(Catalog catalog) {
    this.catalog = catalog;
  }

  @Override
  public Optional<Table> find(List<String> nameParts) {
    Boolean change = altered.get(folded(nameParts));
    if (change == null) {
      return catalog.find(nameParts);
    }
    return change
        ? catalog
            .find(nameParts)
            .map(t -> new Table(t.name(), t.status(), List.of(), t.auxiliaryVisible()))
        : Optional.empty();
  }

  /** A statement of the text was read. */
  void after(Tokens tokens, Span range) {
    boolean alters = tokens.isWord(range.from(), "ALTER");
    if (!alters && !tokens.isAnyWord(range.from(), "CREATE", "DROP")) {
      return;
    }
    for (int i = range.from() + 1; i < range.to(); i++) {
      if (tokens.isAnyWord(i, "TABLE", "VIEW")) {
        int name = i + 1;
        boolean onlyIfMissing = tokens.areWords(name, "IF", "NOT", "EXISTS");
        while (tokens.isAnyWord(name, "IF", "NOT", "EXISTS", "ONLY")) {
          name++;
        }
        int end = tokens.nameEnd(name);
        if (end > name && !onlyIfMissing) {
          altered.put(folded(parts(tokens, name, end)), alters);
        }
        return;
      }
    }
  }

  private static List<String> parts(Tokens tokens, int from, int end) {
    List<String> parts = new java.util.ArrayList<>();
    for (int i = from; i < end; i += 2) {
      parts.add(tokens.text(i));
    }
    return parts;
  }

  private static List<String> folded(List<String> name) {
    return List.of(Identifiers.fold(name.get(name.size() - 1)));
  }
}
