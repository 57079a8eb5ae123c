package io.txwatch.pairs;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.EnumSet;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** Two operations, the tables that they use, and where they race. */
public final class Pair {

  private final String name;
  private final String about;
  private final List<Table> tables = new ArrayList<>();
  private @Nullable Body first;
  private @Nullable Body second;
  private Set<Cell> racy = EnumSet.noneOf(Cell.class);
  private boolean isAutocommit;
  private boolean isSerializable;

  /** What an operation does, without the commit at its end. */
  public interface Body {
    Object on(PairSession session) throws Exception;
  }

  /** The same of two clients, 1 and 2. */
  public interface ClientBody {
    Object on(PairSession session, int client) throws Exception;
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
  public static Pair of(String name, String about) {
    return new Pair(name, about);
  }

  public Pair table(String table, String columns, String rows) {
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

  public Pair both(ClientBody body) {
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

  public boolean isRacy(Cell cell) {
    return racy.contains(cell);
  }

  public String name() {
    return name;
  }

  public String about() {
    return about;
  }

  List<Table> tables() {
    return tables;
  }

  public boolean isAutocommit() {
    return isAutocommit;
  }

  public boolean isSerializable() {
    return isSerializable;
  }

  public List<Body> operations() {
    return List.of(Objects.requireNonNull(first), Objects.requireNonNull(second));
  }

  @Override
  public String toString() {
    return name;
  }
}
