package io.txwatch.history;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * The columns that a statement reads and writes, by table. They depend on its text and the catalog
 * alone, so one object serves all executions of a text.
 *
 * <p>A set may contain columns that the statement does not use, and never lacks one that it is
 * known to use: {@link Columns#ALL} is what is known of a statement that was not understood.
 *
 * @param tables the tables of which this is known; of any other table the statement may read and
 *     write all columns
 */
public record AccessedColumns(List<OfTable> tables) {

  /** Nothing is known: all columns of every table. */
  public static final AccessedColumns UNKNOWN = new AccessedColumns(List.of());

  private static final String SPECIAL = "\\ ,;=*";
  private static final String READ = "read";
  private static final String PREDICATE = "predicate";
  private static final String WRITTEN = "written";
  private static final String KEY = "key";
  private static final String SOME = "some";

  /**
   * The columns of one table.
   *
   * @param table its name, as in {@link RowAccess#table}
   * @param read what determines the result and the values written, those of the predicate included
   * @param predicate what determines which rows the statement chooses
   * @param written what it assigns
   * @param key the columns of a unique key of which the statement compares each with a constant or
   *     a parameter, so that it chooses one row at most; empty if there is none
   * @param some those of which it is not certain that the result depends on them in each row: read
   *     of some of the table's references alone, beside OR or CASE, or only to find equal rows
   */
  public record OfTable(
      String table, Columns read, Columns predicate, Columns written, Columns key, Columns some) {

    /** The columns of a table that are read of each row. */
    public OfTable(String table, Columns read, Columns predicate, Columns written, Columns key) {
      this(table, read, predicate, written, key, Columns.NONE);
    }

    /** The columns of a table in which the statement may choose many rows. */
    public OfTable(String table, Columns read, Columns predicate, Columns written) {
      this(table, read, predicate, written, Columns.NONE);
    }
  }

  /**
   * A set of columns.
   *
   * @param all whether it has all columns of the table
   * @param names the columns if it does not, in lower case
   */
  public record Columns(boolean all, List<String> names) {

    public static final Columns ALL = new Columns(true, List.of());
    public static final Columns NONE = new Columns(false, List.of());

    /** A set of some columns. */
    public static Columns of(Iterable<String> names) {
      List<String> copy = new ArrayList<>();
      names.forEach(copy::add);
      return new Columns(false, List.copyOf(copy));
    }
  }

  /** The columns of a table; empty if nothing is known of it. */
  public Optional<OfTable> of(String table) {
    return tables.stream().filter(one -> one.table().equals(table)).findFirst();
  }

  /**
   * The text for a statement of which not every row is observed: what it reads counts for its
   * predicates, which then are all that is known of the other rows.
   */
  public static String withoutItems(String text) {
    return new AccessedColumns(
            parse(text).tables().stream()
                .map(
                    one ->
                        new OfTable(
                            one.table(),
                            one.read(),
                            one.read(),
                            one.written(),
                            one.key(),
                            one.some()))
                .toList())
        .text();
  }

  /**
   * The text that histories contain: {@code StatementExecuted.columns} in {@code history.proto}.
   */
  public String text() {
    StringBuilder text = new StringBuilder();
    for (OfTable one : tables) {
      if (!text.isEmpty()) {
        text.append(';');
      }
      appendName(text, one.table());
      append(text, READ, one.read());
      append(text, PREDICATE, one.predicate());
      append(text, WRITTEN, one.written());
      append(text, KEY, one.key());
      append(text, SOME, one.some());
    }
    return text.toString();
  }

  private static void append(StringBuilder text, String list, Columns columns) {
    if (columns.all()) {
      text.append(' ').append(list).append("=*");
      return;
    }
    String separator = " " + list + "=";
    for (String name : columns.names()) {
      text.append(separator);
      appendName(text, name);
      separator = ",";
    }
  }

  private static void appendName(StringBuilder text, String name) {
    for (int i = 0; i < name.length(); i++) {
      if (SPECIAL.indexOf(name.charAt(i)) >= 0) {
        text.append('\\');
      }
      text.append(name.charAt(i));
    }
  }

  /**
   * Parses the text of a history. A list that a later version added is ignored, and a text that is
   * malformed stands for nothing known.
   */
  public static AccessedColumns parse(String text) {
    if (text.isEmpty()) {
      return UNKNOWN;
    }
    List<OfTable> tables = new ArrayList<>();
    for (String line : split(text, ';')) {
      List<String> words = split(line, ' ');
      Columns read = Columns.NONE;
      Columns predicate = Columns.NONE;
      Columns written = Columns.NONE;
      Columns key = Columns.NONE;
      Columns some = Columns.NONE;
      for (String word : words.subList(1, words.size())) {
        List<String> list = split(word, '=');
        if (list.size() != 2) {
          return UNKNOWN;
        }
        switch (list.get(0)) {
          case READ -> read = columns(list.get(1));
          case PREDICATE -> predicate = columns(list.get(1));
          case WRITTEN -> written = columns(list.get(1));
          case KEY -> key = columns(list.get(1));
          case SOME -> some = columns(list.get(1));
          default -> {}
        }
      }
      tables.add(new OfTable(unescape(words.get(0)), read, predicate, written, key, some));
    }
    return new AccessedColumns(List.copyOf(tables));
  }

  private static Columns columns(String list) {
    if (list.equals("*")) {
      return Columns.ALL;
    }
    return Columns.of(split(list, ',').stream().map(AccessedColumns::unescape).toList());
  }

  /** Splits at a character that no backslash precedes; the parts are still escaped. */
  private static List<String> split(String text, char separator) {
    List<String> parts = new ArrayList<>();
    int from = 0;
    for (int i = 0; i < text.length(); i++) {
      if (text.charAt(i) == '\\') {
        i++;
      } else if (text.charAt(i) == separator) {
        parts.add(text.substring(from, i));
        from = i + 1;
      }
    }
    parts.add(text.substring(from));
    return parts;
  }

  private static String unescape(String escaped) {
    if (escaped.indexOf('\\') < 0) {
      return escaped;
    }
    StringBuilder text = new StringBuilder(escaped.length());
    for (int i = 0; i < escaped.length(); i++) {
      if (escaped.charAt(i) == '\\' && i + 1 < escaped.length()) {
        i++;
      }
      text.append(escaped.charAt(i));
    }
    return text.toString();
  }
}
