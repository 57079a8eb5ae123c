package io.txwatch.sql.semantics;

import io.txwatch.sql.syntax.Span;
import io.txwatch.sql.syntax.TokenKind;
import io.txwatch.sql.syntax.Tokens;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;

/**
 * What a CREATE TABLE with a list of columns defines. Names are folded.
 *
 * @param name where the table's name stands
 * @param list where the list stands, with its parentheses
 * @param elements columns and constraints, in the order of the text
 * @param partitionColumns the columns that select a partition
 */
public record TableDefinition(
    String table, Span name, Span list, List<Element> elements, List<String> partitionColumns) {

  /** What an element of the list is. */
  public enum Kind {
    COLUMN,
    PRIMARY_KEY,
    UNIQUE,
    /** KEY and INDEX. */
    INDEX,
    FOREIGN_KEY,
    /** CHECK, EXCLUDE, LIKE. */
    OTHER
  }

  /** What the definition of a column states about it. */
  public enum Attribute {
    PRIMARY_KEY,
    UNIQUE,
    NOT_NULL,
    /** It has a default other than NULL. */
    DEFAULT
  }

  /**
   * An element of the list.
   *
   * @param columns the column, or those of the key
   * @param type of a column: the first word of its type in upper case; else empty
   * @param attributes of a column
   */
  public record Element(
      Span span, Kind kind, List<String> columns, String type, Set<Attribute> attributes) {

    /** The name of a column. */
    public String column() {
      return columns.get(0);
    }

    /** True if the definition of a column states this. */
    public boolean is(Attribute attribute) {
      return attributes.contains(attribute);
    }
  }

  /**
   * A reference of a foreign key.
   *
   * @param span from REFERENCES to its last action
   * @param columns empty if they are the primary key of the table
   * @param hasActions true if it writes referencing rows: CASCADE, SET NULL, SET DEFAULT
   */
  public record Reference(Span span, String table, List<String> columns, boolean hasActions) {}

  private static final int MAX_KEYWORDS = 4;

  /** Reads a statement; empty if it is another one. */
  public static Optional<TableDefinition> of(Tokens tokens) {
    Span name = definedTable(tokens);
    int open = name.to();
    if (tokens.isBroken() || name.isEmpty() || !tokens.isOpen(open)) {
      return Optional.empty();
    }
    Span list = new Span(open, tokens.next(open));
    List<Element> elements =
        tokens.items(open + 1, list.to() - 1).stream().map(item -> element(tokens, item)).toList();
    return Optional.of(
        new TableDefinition(
            tokens.folded(open - 1), name, list, elements, partitionColumns(tokens, list.to())));
  }

  /** Where the name of the table that a CREATE TABLE defines stands; empty for others. */
  public static Span definedTable(Tokens tokens) {
    int at = 1;
    while (at <= MAX_KEYWORDS && !tokens.isWord(at, "TABLE")) {
      at++; // OR REPLACE, TEMPORARY, UNLOGGED
    }
    if (!tokens.isWord(0, "CREATE") || !tokens.isWord(at, "TABLE")) {
      return new Span(0, 0);
    }
    int from = tokens.areWords(at + 1, "IF", "NOT", "EXISTS") ? at + 4 : at + 1;
    return new Span(from, tokens.nameEnd(from));
  }

  /** The columns, without columns that only the constraints name. */
  public List<Element> columns() {
    return elements.stream().filter(element -> element.kind() == Kind.COLUMN).toList();
  }

  /** Every reference of a foreign key in a statement. */
  public static List<Reference> references(Tokens tokens) {
    List<Reference> references = new ArrayList<>();
    for (int i = 0; i < tokens.count(); i++) {
      int end = tokens.nameEnd(i + 1);
      if (tokens.isWord(i, "REFERENCES") && end > i + 1) {
        references.add(reference(tokens, i, end));
      }
    }
    return references;
  }

  private static Reference reference(Tokens tokens, int from, int nameEnd) {
    boolean listed = tokens.isOpen(nameEnd);
    List<String> columns = listed ? columns(tokens, nameEnd) : List.of();
    int end = listed ? tokens.next(nameEnd) : nameEnd;
    boolean acts = false;
    while (tokens.isWord(end, "ON") && tokens.isAnyWord(end + 1, "DELETE", "UPDATE")) {
      acts |= tokens.isAnyWord(end + 2, "CASCADE", "SET");
      end += tokens.isAnyWord(end + 2, "NO", "SET") ? 4 : 3;
    }
    Span span = new Span(from, Math.min(end, tokens.count()));
    return new Reference(span, tokens.folded(nameEnd - 1), columns, acts);
  }

  private static Element element(Tokens tokens, Span span) {
    int at = span.from();
    if (tokens.isWord(at, "CONSTRAINT")) {
      at += tokens.isAnyWord(at + 1, "PRIMARY", "UNIQUE", "FOREIGN", "CHECK") ? 1 : 2;
    }
    Kind kind = kind(tokens, at);
    if (kind == Kind.COLUMN && at < span.to()) {
      String type = at + 1 < span.to() ? tokens.text(at + 1).toUpperCase(Locale.ROOT) : "";
      List<String> column = List.of(tokens.folded(at));
      return new Element(span, kind, column, type, attributes(tokens, span));
    }
    int open = at;
    while (open < span.to() && !tokens.isOpen(open)) {
      open++;
    }
    boolean listed = kind != Kind.OTHER && open < span.to();
    return new Element(span, kind, listed ? columns(tokens, open) : List.of(), "", Set.of());
  }

  private static Kind kind(Tokens tokens, int at) {
    if (tokens.areWords(at, "PRIMARY", "KEY")) {
      return Kind.PRIMARY_KEY;
    }
    if (tokens.areWords(at, "FOREIGN", "KEY")) {
      return Kind.FOREIGN_KEY;
    }
    if (tokens.isAnyWord(at, "CHECK", "EXCLUDE", "LIKE")) {
      return Kind.OTHER;
    }
    if (tokens.isWord(at, "UNIQUE")) {
      return Kind.UNIQUE;
    }
    int key = tokens.isAnyWord(at, "FULLTEXT", "SPATIAL") ? at + 1 : at;
    if (!tokens.isAnyWord(key, "KEY", "INDEX")) {
      return Kind.COLUMN;
    }
    int list = tokens.isName(key + 1) ? key + 2 : key + 1;
    return tokens.isWord(list, "USING") || isListOfNames(tokens, list) ? Kind.INDEX : Kind.COLUMN;
  }

  /** False for the length of a type: a column may be named KEY. */
  private static boolean isListOfNames(Tokens tokens, int open) {
    return tokens.isOpen(open) && (tokens.isName(open + 1) || tokens.isOpen(open + 1));
  }

  private static Set<Attribute> attributes(Tokens tokens, Span span) {
    Set<Attribute> attributes = EnumSet.noneOf(Attribute.class);
    for (int i = span.from() + 1; i < span.to(); i = tokens.next(i)) {
      if (tokens.areWords(i, "PRIMARY", "KEY")) {
        attributes.add(Attribute.PRIMARY_KEY);
      } else if (tokens.isWord(i, "UNIQUE")) {
        attributes.add(Attribute.UNIQUE);
      } else if (tokens.areWords(i, "NOT", "NULL")) {
        attributes.add(Attribute.NOT_NULL);
      } else if (tokens.isWord(i, "DEFAULT") && !tokens.isWord(i + 1, "NULL")) {
        attributes.add(Attribute.DEFAULT);
      }
    }
    return attributes;
  }

  private static List<String> partitionColumns(Tokens tokens, int from) {
    for (int i = from; i < tokens.count(); i++) {
      if (tokens.areWords(i, "PARTITION", "BY")) {
        while (i < tokens.count() && !tokens.isOpen(i)) {
          i++;
        }
        return i < tokens.count() ? columns(tokens, i) : List.of();
      }
    }
    return List.of();
  }

  /** The columns of a list in parentheses; of an expression, each name in it. */
  static List<String> columns(Tokens tokens, int open) {
    List<String> columns = new ArrayList<>();
    for (Span item : tokens.items(open + 1, tokens.next(open) - 1)) {
      boolean isColumn = tokens.isName(item.from()) && !isCall(tokens, item.from());
      int last = isColumn ? item.from() + 1 : item.to();
      for (int i = item.from(); i < last; i++) {
        if (tokens.isName(i)) {
          columns.add(tokens.folded(i));
        }
      }
    }
    return columns;
  }

  /** True for a function; the number in {@code name(10)} is the length of a prefix. */
  private static boolean isCall(Tokens tokens, int name) {
    return tokens.isOpen(name + 1) && !tokens.is(name + 2, TokenKind.NUMBER);
  }
}
