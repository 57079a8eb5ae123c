package io.txwatch.plan;

import java.util.List;

/**
 * What a statement does with a row that it finds by a unique key.
 *
 * <p>Where a write cannot return its rows (MySQL, MariaDB), a transaction has mostly read them
 * before, each by the same key: {@code SELECT … WHERE id = ?}, then {@code UPDATE … WHERE id = ?}.
 * The first returned the row's id, so the second need not. A key is unique and has no null, so
 * equal values find one row at most, provided that the DBMS compares them as the key does: integers
 * with a column of integers, ASCII text with a column of characters.
 *
 * <p>Where it can, but not as an item of a batch (PostgreSQL), the key is the row's id.
 *
 * @param role what the statement does with the key
 * @param table the table's name as histories show it; empty if it is none in particular
 * @param columns the key's columns, in lower case, in the key's order
 * @param values what each of them is compared with
 */
public record KeyedRow(Role role, String table, List<String> columns, List<Value> values) {

  /** What a statement does with a key. */
  public enum Role {
    /** Nothing: it neither finds rows by a key nor changes which row bears one. */
    NONE,
    /** A query of one table that returns the one row of the key, or none, and its id. */
    READS,
    /** An UPDATE of the one row of the key, or of none, that assigns no column of any key. */
    WRITES,
    /**
     * An UPDATE of the one row of the key, or of none, that assigns columns of other keys alone: by
     * those, other rows may be found after it. Mappers of objects assign all columns.
     */
    WRITES_OTHER_KEYS,
    /** After it other rows of its table may bear the keys. */
    MAY_MOVE,
    /** The same of any table. */
    ANY_MAY_MOVE
  }

  /** What a column of a key is compared with. */
  public sealed interface Value {

    /** True if it is text, false if it is an integer. */
    boolean isText();
  }

  /**
   * A parameter of the application's.
   *
   * @param number from 1
   */
  public record Parameter(int number, boolean isText) implements Value {}

  /** An integer that stands in the text. */
  public record IntegerLiteral(long value) implements Value {
    @Override
    public boolean isText() {
      return false;
    }
  }

  /** A string that stands in the text, without its quotes. */
  public record TextLiteral(String value) implements Value {
    @Override
    public boolean isText() {
      return true;
    }
  }

  /** True for an UPDATE of the one row of the key, or of none. */
  public boolean writes() {
    return role == Role.WRITES || role == Role.WRITES_OTHER_KEYS;
  }

  /** It has nothing to do with any. */
  public static final KeyedRow NONE = without(Role.NONE, "");

  /** Nothing is known of what it does to keys. */
  public static final KeyedRow ANY_MAY_MOVE = without(Role.ANY_MAY_MOVE, "");

  /** One that finds no row by a key. */
  public static KeyedRow without(Role role, String table) {
    return new KeyedRow(role, table, List.of(), List.of());
  }
}
