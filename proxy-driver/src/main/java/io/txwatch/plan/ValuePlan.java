package io.txwatch.plan;

import io.txwatch.history.Access;
import io.txwatch.history.RowCondition;
import io.txwatch.sql.syntax.Literals;
import io.txwatch.sql.syntax.TextShape;
import io.txwatch.sql.syntax.Tokens;
import java.math.BigDecimal;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.UnaryOperator;

/**
 * What a statement states itself of the rows that it reads and writes: where the values of their
 * keys and of their other columns are, in its result, its parameters and its text. The text is sent
 * as it is.
 *
 * @param reads one for each table whose rows its result shows
 * @param resultColumns how many columns the result has if the plan is right; -1 if that does not
 *     depend on the catalog
 * @param unread why not every row that it reads can be known from its result; empty if all can, or
 *     if it reads none
 * @param write what it writes; empty for a query
 * @param choice how a query chooses the rows of its table; empty if it has several, or if that is
 *     not known
 * @param places where the rows of {@code reads} are in its result
 */
public record ValuePlan(
    List<Read> reads,
    int resultColumns,
    String unread,
    Optional<Write> write,
    Optional<Choice> choice,
    ResultPlaces places) {

  /** A plan whose places follow from what it reads. */
  public ValuePlan(
      List<Read> reads,
      int resultColumns,
      String unread,
      Optional<Write> write,
      Optional<Choice> choice) {
    this(reads, resultColumns, unread, write, choice, ResultPlaces.of(reads));
  }

  /** Where a value is known from. */
  public sealed interface Place {}

  /**
   * A column of the result, as the driver counts it.
   *
   * @param index from 1
   */
  public record Selected(int index) implements Place {}

  /**
   * A parameter of the application's.
   *
   * @param number from 1
   * @param cast the types of values that the statement leaves as they are
   */
  public record Parameter(int number, Cast cast) implements Place {}

  /** To what a statement casts a constant: {@code cast(? as bigint)}, as jOOQ writes it. */
  public enum Cast {
    /** It does not: any value is compared or stored as it is given. */
    NONE,
    /** To an integer: other values are rounded or read from text. */
    INTEGER,
    /** To text of any length: other values are written as text. */
    TEXT
  }

  /**
   * A literal.
   *
   * @param value a Long, a String, or a BigDecimal where it is only compared
   */
  public record Literal(Object value) implements Place {}

  /**
   * A literal of the text, as a plan for a {@linkplain TextShape shape} names it.
   *
   * @param token the significant token that it is
   * @param isNegative true if a minus sign stands before it
   */
  public record Written(int token, boolean isNegative) implements Place {

    private Literal in(Tokens tokens) {
      Object value = Literals.value(tokens, token);
      if (!isNegative) {
        return new Literal(value);
      }
      return new Literal(value instanceof Long integer ? -integer : ((BigDecimal) value).negate());
    }
  }

  /** Nowhere: the DBMS computes it. */
  public record Computed() implements Place {
    static final Computed INSTANCE = new Computed();
  }

  /** A place that is not known. */
  public static final Place COMPUTED = Computed.INSTANCE;

  /**
   * The rows of a table in a result.
   *
   * @param table its name as histories show it
   * @param key the columns of its key
   * @param keyPlaces where the value of each is
   * @param columns other columns, and those of the key, that the result shows as they are stored
   * @param places their places in the result
   * @param pinned true if the statement compares the whole key with constants, so that it returns
   *     one row of the table at most, and which one is known even if it returns none
   */
  public record Read(
      String table,
      List<KeyColumn> key,
      List<Place> keyPlaces,
      List<String> columns,
      List<Selected> places,
      boolean pinned) {}

  /**
   * What a statement writes.
   *
   * @param access {@link Access#INSERT}, {@link Access#UPDATE} or {@link Access#DELETE}
   * @param table the table's name as histories show it
   * @param key the columns of its key, empty if they are not known
   * @param columns the columns that it assigns, as stored
   * @param kinds for each of them, of which kind a value is that it stores as it is given; OTHER if
   *     that is not known
   * @param rows the rows whose keys it states; empty if it states none
   * @param newKey where the value of each column of the key is after an UPDATE that assigns one of
   *     them: if the key is another one then, it writes the row with that key, too. Empty if it
   *     assigns none
   * @param complete true if it writes no other rows of the table itself
   * @param mayLeaveOut true if it may leave out rows that it states, as INSERT IGNORE does: only an
   *     update count shows that it wrote them
   */
  public record Write(
      Access access,
      String table,
      List<KeyColumn> key,
      List<String> columns,
      List<KeyColumn.Kind> kinds,
      List<Row> rows,
      List<Place> newKey,
      boolean complete,
      boolean mayLeaveOut) {}

  /**
   * A row that is written.
   *
   * @param key where the value of each column of the key is
   * @param values where the value of each assigned column is
   */
  public record Row(List<Place> key, List<Place> values) {}

  /**
   * How a query chooses the rows of its only table.
   *
   * @param table its name as histories show it
   * @param condition which rows: {@link io.txwatch.history.RowChoice}
   * @param constants where the constants of the condition are
   * @param used the columns, in lower case, on which its result certainly depends in each row that
   *     it chooses, apart from the condition
   * @param oneRow true if its result is one row, whatever it chooses: an aggregate without GROUP BY
   * @param exact true if nothing in the condition is {@linkplain RowCondition.Unknown unknown}
   */
  public record Choice(
      String table,
      RowCondition condition,
      List<Place> constants,
      Set<String> used,
      boolean oneRow,
      boolean exact) {}

  /** A statement that reads and writes no rows that it shows. */
  public static ValuePlan without(String unread) {
    return new ValuePlan(List.of(), -1, unread, Optional.empty(), Optional.empty());
  }

  /** The same without how it chooses its rows. */
  public ValuePlan withoutChoice() {
    return new ValuePlan(reads, resultColumns, unread, write, Optional.empty(), places);
  }

  /** The same with the values of a text's literals. */
  ValuePlan withLiterals(Tokens tokens) {
    return new ValuePlan(
        changed(reads, read -> withLiterals(read, tokens)),
        resultColumns,
        unread,
        write.map(stated -> withLiterals(stated, tokens)),
        choice.map(chosen -> withLiterals(chosen, tokens)),
        places);
  }

  private static Read withLiterals(Read read, Tokens tokens) {
    List<Place> key = withLiterals(read.keyPlaces, tokens);
    return key == read.keyPlaces
        ? read
        : new Read(read.table, read.key, key, read.columns, read.places, read.pinned);
  }

  private static Write withLiterals(Write write, Tokens tokens) {
    List<Row> rows =
        changed(
            write.rows,
            row -> new Row(withLiterals(row.key(), tokens), withLiterals(row.values(), tokens)));
    return new Write(
        write.access,
        write.table,
        write.key,
        write.columns,
        write.kinds,
        rows,
        withLiterals(write.newKey, tokens),
        write.complete,
        write.mayLeaveOut);
  }

  private static Choice withLiterals(Choice choice, Tokens tokens) {
    return new Choice(
        choice.table,
        choice.condition,
        withLiterals(choice.constants, tokens),
        choice.used,
        choice.oneRow,
        choice.exact);
  }

  private static List<Place> withLiterals(List<Place> places, Tokens tokens) {
    return changed(places, place -> place instanceof Written written ? written.in(tokens) : place);
  }

  /** A list with each of its elements changed; the list itself if none is. */
  private static <T> List<T> changed(List<T> list, UnaryOperator<T> change) {
    List<T> changed = null;
    for (int i = 0; i < list.size(); i++) {
      T before = list.get(i);
      T after = change.apply(before);
      if (after != before && changed == null) {
        changed = new ArrayList<>(list);
      }
      if (changed != null) {
        changed.set(i, after);
      }
    }
    return changed == null ? list : Collections.unmodifiableList(changed);
  }

  /** The numbers of all parameters that are a value of a row. */
  public BitSet parameters() {
    BitSet numbers = new BitSet();
    reads.forEach(read -> add(numbers, read.keyPlaces()));
    write.ifPresent(
        written ->
            written
                .rows()
                .forEach(
                    row -> {
                      add(numbers, row.key());
                      add(numbers, row.values());
                    }));
    choice.ifPresent(chosen -> add(numbers, chosen.constants()));
    return numbers;
  }

  private static void add(BitSet numbers, List<Place> places) {
    for (Place place : places) {
      if (place instanceof Parameter parameter) {
        numbers.set(parameter.number());
      }
    }
  }

  /** True if it is of a statement that touches no rows. */
  public boolean saysNothing() {
    return isEmpty() && unread.isEmpty();
  }

  /** True if nothing of it can be observed. */
  public boolean isEmpty() {
    return reads.isEmpty() && write.isEmpty() && !choice.map(Choice::exact).orElse(false);
  }
}
