package io.txwatch.corpus;

import java.util.List;
import java.util.stream.Stream;

/**
 * The tables of the corpus, for the generators. Each is declared by a line of column names: {@code
 * *} marks the primary key, and a suffix the type ({@code $} text, {@code .} decimal, {@code @}
 * date, {@code !} other, none integer).
 */
final class Schema {

  private Schema() {}

  /** The types that the generators distinguish. */
  enum Type {
    INT,
    TEXT,
    DECIMAL,
    DATE,
    OTHER
  }

  /**
   * A column.
   *
   * @param key true if it is part of the primary key
   */
  record Column(String name, Type type, boolean key) {}

  /** A table. */
  record Table(String name, List<Column> columns) {

    /** Columns that order the rows completely: the key, or all columns if there is none. */
    List<Column> orderColumns() {
      List<Column> key = columns.stream().filter(Column::key).toList();
      return key.isEmpty() ? columns : key;
    }

    List<Column> columnsOf(Type type) {
      return columns.stream().filter(column -> column.type == type).toList();
    }

    List<String> names() {
      return columns.stream().map(Column::name).toList();
    }
  }

  static final Table BRANCH = table("branch", "*id city$");
  static final Table ACCOUNT = table("account", "*id owner$ balance branch_id");
  static final Table ENTRY = table("entry", "*id account_id amount. noted@ memo$");
  static final Table PAIR = table("pair", "*a *b label$");
  static final Table TAG = table("tag", "name$ account_id");
  static final Table READING = table("reading", "*code$ flag! ratio! big small made! note$");
  static final Table PERSON = table("person", "*id email$ n");
  static final Table ITEM = table("item", "*id account_id qty");

  static final List<Table> TABLES =
      List.of(BRANCH, ACCOUNT, ENTRY, PAIR, TAG, READING, PERSON, ITEM, ACCOUNT, ENTRY);

  private static Table table(String name, String columns) {
    return new Table(name, Stream.of(columns.split(" ")).map(Schema::column).toList());
  }

  private static Column column(String text) {
    boolean key = text.startsWith("*");
    String name = text.replaceAll("[^a-z_]", "");
    Type type =
        switch (text.charAt(text.length() - 1)) {
          case '$' -> Type.TEXT;
          case '.' -> Type.DECIMAL;
          case '@' -> Type.DATE;
          case '!' -> Type.OTHER;
          default -> Type.INT;
        };
    return new Column(name, type, key);
  }
}
