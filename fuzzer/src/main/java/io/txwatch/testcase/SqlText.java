package io.txwatch.testcase;

import io.txwatch.sql.dialect.AnyGrammar;
import io.txwatch.sql.syntax.Span;
import io.txwatch.sql.syntax.Statement;
import io.txwatch.sql.syntax.StatementParser;
import io.txwatch.sql.syntax.TokenKind;
import io.txwatch.sql.syntax.Tokenizer;
import io.txwatch.sql.syntax.Tokens;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/**
 * A text of a case, read once, by the grammar that all DBMSs have in common. Names are folded:
 * without quotes, in lower case. Words in literals and comments are none. Thread-safe.
 */
public final class SqlText {

  private static final int MAX_CACHED = 2048;
  private static final Map<String, SqlText> CACHE = new ConcurrentHashMap<>();

  /**
   * A write of rows in a text: the statement itself, or one in a WITH.
   *
   * @param verb INSERT, REPLACE, UPDATE, DELETE or MERGE
   * @param at where the verb stands
   * @param name where the first table that it names stands
   * @param table the last part of that name; empty if there is none
   */
  public record Write(String verb, int at, Span name, String table) {

    /** True if it is one of these. */
    public boolean is(String... verbs) {
      return List.of(verbs).contains(verb);
    }
  }

  private final Tokens tokens;
  private final List<Write> writes = new ArrayList<>();
  private @Nullable Statement tree;

  private SqlText(String sql) {
    tokens = Tokenizer.tokenize(sql, AnyGrammar.INSTANCE);
    int depth = 0;
    for (int i = 0; i < tokens.count(); i++) {
      if (mayBegin(i, depth) && isWriteVerb(i)) {
        writes.add(write(i));
      }
      depth += tokens.is(i, TokenKind.OPEN) ? 1 : tokens.is(i, TokenKind.CLOSE) ? -1 : 0;
    }
  }

  /** Reads a text, or returns what was read of it before. */
  public static SqlText of(String sql) {
    SqlText text = CACHE.get(sql);
    if (text == null) {
      text = new SqlText(sql);
      if (CACHE.size() >= MAX_CACHED) {
        CACHE.clear();
      }
      CACHE.put(sql, text);
    }
    return text;
  }

  private boolean mayBegin(int i, int depth) {
    return i == 0
        || tokens.isOpen(i - 1)
        || (depth == 0 && tokens.is(i - 1, TokenKind.CLOSE) && tokens.isWord(0, "WITH"));
  }

  private boolean isWriteVerb(int i) {
    return tokens.isAnyWord(i, "INSERT", "REPLACE", "UPDATE", "DELETE", "MERGE")
        && !tokens.isOpen(i + 1); // a function
  }

  private Write write(int verb) {
    int from = verb + 1;
    while (tokens.isAnyWord(
        from,
        "INTO",
        "FROM",
        "ONLY",
        "IGNORE",
        "OR",
        "QUICK",
        "DELAYED",
        "LOW_PRIORITY",
        "HIGH_PRIORITY")) {
      from += tokens.isWord(from, "OR") ? 2 : 1;
    }
    Span name = new Span(from, tokens.nameEnd(from));
    String table = name.isEmpty() ? "" : tokens.folded(name.to() - 1);
    return new Write(tokens.text(verb).toUpperCase(Locale.ROOT), verb, name, table);
  }

  /** Its tokens. */
  public Tokens tokens() {
    return tokens;
  }

  /** Its syntax tree. */
  public Statement tree() {
    if (tree == null) {
      tree = StatementParser.parse(tokens, AnyGrammar.INSTANCE, new Span(0, tokens.count()));
    }
    return tree;
  }

  // ---------------------------------------------------------------- words

  /** True if it begins with these words. */
  public boolean startsWith(String... words) {
    return tokens.areWords(0, words);
  }

  /** True if it begins with one of these words. */
  public boolean startsWithAny(String... words) {
    return tokens.isAnyWord(0, words);
  }

  /** True if one of these words occurs in it. */
  public boolean hasAny(String... words) {
    return tokens.hasAnyWord(0, tokens.count(), words);
  }

  /** True if these words occur in it, one after the other. */
  public boolean has(String... words) {
    return indexOf(0, words) >= 0;
  }

  /** Where these words occur first from a token on; -1 if nowhere. */
  public int indexOf(int from, String... words) {
    for (int i = from; i < tokens.count(); i++) {
      if (tokens.areWords(i, words)) {
        return i;
      }
    }
    return -1;
  }

  /** The first word, in upper case; empty if it begins with something else. */
  public String firstWord() {
    return tokens.is(0, TokenKind.WORD) ? tokens.text(0).toUpperCase(Locale.ROOT) : "";
  }

  // ---------------------------------------------------------------- what it does

  /** The writes of rows in it, in the order of the text. */
  public List<Write> writes() {
    return writes;
  }

  /** The write that it begins with. */
  public Optional<Write> write() {
    return writes.stream().filter(write -> write.at() == 0).findFirst();
  }

  /** True if a token is in no parentheses. */
  public boolean isOutside(int token) {
    int i = 0;
    while (i < token) {
      i = tokens.next(i);
    }
    return i == token;
  }

  /** True if it writes rows of a table that it names, apart from a second one of a join. */
  public boolean writes(String table) {
    return writes.stream().anyMatch(write -> write.table().equals(table));
  }

  /** True if it is an INSERT, REPLACE, UPDATE or DELETE with a query or another table. */
  public boolean isWriteWithRead() {
    return writes.stream()
        .anyMatch(
            write ->
                !write.is("MERGE")
                    && tokens.hasAnyWord(write.at(), tokens.count(), "SELECT", "JOIN", "USING"));
  }

  /** True if it sets, releases, or rolls back to a savepoint. */
  public boolean isSavepoint() {
    return startsWithAny("SAVEPOINT", "RELEASE") || rollsBackToSavepoint();
  }

  /** True if it rolls back to a savepoint. */
  public boolean rollsBackToSavepoint() {
    return startsWith("ROLLBACK") && (tokens.isWord(1, "TO") || tokens.isWord(2, "TO"));
  }

  /** The savepoint of such a statement; options may stand behind one that is set. */
  public String savepoint() {
    return tokens.folded(startsWith("SAVEPOINT") ? 1 : tokens.count() - 1);
  }

  /**
   * The tokens with which lists of assignments begin outside of parentheses: of an UPDATE, of an
   * INSERT for rows that exist, of a MERGE.
   */
  public List<Integer> assignments() {
    List<Integer> starts = new ArrayList<>();
    boolean updates = false;
    for (int i = 0; i < tokens.count(); i = tokens.next(i)) {
      if (tokens.areWords(i, "DUPLICATE", "KEY", "UPDATE")) {
        starts.add(i + 3);
      } else if (tokens.isWord(i, "UPDATE")) {
        updates |= !tokens.isAnyWord(i - 1, "FOR", "KEY");
      } else if (updates && tokens.isWord(i, "SET")) {
        starts.add(i + 1);
        updates = false;
      }
    }
    return starts;
  }

  // ---------------------------------------------------------------- names

  /** Every name in it. */
  public Set<String> names() {
    Set<String> names = new HashSet<>();
    for (int i = 0; i < tokens.count(); i++) {
      if (tokens.isName(i)) {
        names.add(tokens.folded(i));
      }
    }
    return names;
  }

  /** True if it has a name outside of a stretch. */
  public boolean hasName(String name, Span except) {
    for (int i = 0; i < tokens.count(); i++) {
      if (!except.contains(i) && tokens.isName(i) && tokens.folded(i).equals(name)) {
        return true;
      }
    }
    return false;
  }

  /** True if it has a name. */
  public boolean hasName(String name) {
    return hasName(name, new Span(0, 0));
  }

  /** The names in a list in parentheses. */
  public List<String> names(Span list) {
    return tokens.items(list.from() + 1, list.to() - 1).stream()
        .map(item -> tokens.folded(item.from()))
        .toList();
  }

  // ---------------------------------------------------------------- texts

  /** The text of a stretch; empty if it is. */
  public String text(Span span) {
    return span.isEmpty()
        ? ""
        : tokens.text().substring(tokens.start(span.from()), tokens.end(span.to() - 1));
  }

  /** The text from a token on. */
  public String from(int token) {
    return text(new Span(token, tokens.count()));
  }

  /** The text without some stretches, which do not overlap. */
  public String without(Collection<Span> spans) {
    StringBuilder rest = new StringBuilder(tokens.text());
    spans.stream()
        .sorted(Comparator.comparing(Span::from).reversed())
        .forEach(span -> rest.delete(tokens.end(span.from() - 1), tokens.end(span.to() - 1)));
    return rest.toString();
  }

  /** The text with another one in front of some tokens, in ascending order. */
  public String withBefore(List<Integer> at, String inserted) {
    StringBuilder text = new StringBuilder(tokens.text());
    for (int i = at.size() - 1; i >= 0; i--) {
      text.insert(tokens.start(at.get(i)), inserted);
    }
    return text.toString();
  }

  /** The text of an INSERT with the column list added, unless it has one. */
  public String withColumns(Collection<String> columns) {
    return nameWithoutColumns()
        .map(name -> withBefore(List.of(name.to()), "(" + String.join(", ", columns) + ") "))
        .orElse(tokens.text());
  }

  /** True if it is an INSERT without a column list. */
  public boolean lacksColumns() {
    return nameWithoutColumns().isPresent();
  }

  private Optional<Span> nameWithoutColumns() {
    return write()
        .filter(write -> write.is("INSERT", "REPLACE"))
        .map(Write::name)
        .filter(name -> !name.isEmpty())
        .filter(name -> tokens.isAnyWord(name.to(), "VALUES", "VALUE", "SELECT", "WITH"));
  }
}
