package io.txwatch.interleave.bed;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.EnumSet;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** Two operations, the tables that they use, and where they race. */
final class Pair {

  private final String name;
  private final String about;
  private final List<Table> tables = new ArrayList<>();
  private @Nullable Body first;
  private @Nullable Body second;
  private Set<Cell> racy = EnumSet.noneOf(Cell.class);
  private boolean isAutocommit;
  private boolean isSerializable;

  /** What an operation does, without the commit at its end. */
  interface Body {
    Object on(Session session) throws Exception;
  }

  /** The same of two clients, 1 and 2. */
  interface ClientBody {
    Object on(Session session, int client) throws Exception;
  }

  /**
   * A table.
   *
   * @param rows as behind VALUES; empty for no rows
   */
  record Table(String name, String columns, String rows) {}

  private Pair(String name, String about) {
    this.name = name;
    this.about = about;
  }

  /**
   * A pair without a race.
   *
   * @param about where it comes from, or why its verdict is easy to get wrong
   */
  static Pair of(String name, String about) {
    return new Pair(name, about);
  }

  Pair table(String table, String columns, String rows) {
    tables.add(new Table(table, columns, rows));
    return this;
  }

  Pair autocommit() {
    isAutocommit = true;
    return this;
  }

  /** At SERIALIZABLE, whatever the level of the cell. */
  Pair serializable() {
    isSerializable = true;
    return this;
  }

  Pair both(ClientBody body) {
    return operations(session -> body.on(session, 1), session -> body.on(session, 2));
  }

  Pair operations(Body one, Body other) {
    first = one;
    second = other;
    return this;
  }

  /** Where the operations race. */
  Pair racesOn(Cell... cells) {
    racy = EnumSet.copyOf(Arrays.asList(cells));
    return this;
  }

  Pair racesEverywhere() {
    racy = EnumSet.allOf(Cell.class);
    return this;
  }

  boolean isRacy(Cell cell) {
    return racy.contains(cell);
  }

  String name() {
    return name;
  }

  String about() {
    return about;
  }

  List<Table> tables() {
    return tables;
  }

  boolean isAutocommit() {
    return isAutocommit;
  }

  boolean isSerializable() {
    return isSerializable;
  }

  List<Body> operations() {
    return List.of(Objects.requireNonNull(first), Objects.requireNonNull(second));
  }

  @Override
  public String toString() {
    return name;
  }
}
