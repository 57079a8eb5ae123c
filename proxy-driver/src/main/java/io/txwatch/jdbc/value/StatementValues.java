package io.txwatch.jdbc.value;

import io.txwatch.capture.KeyText;
import io.txwatch.capture.ObservedValues;
import io.txwatch.history.Access;
import io.txwatch.history.Chunk;
import io.txwatch.history.Event;
import io.txwatch.history.RowChange;
import io.txwatch.history.RowChoice;
import io.txwatch.history.RowValues;
import io.txwatch.history.StatedWrite;
import io.txwatch.history.ValueHash;
import io.txwatch.jdbc.plan.PinnedValues;
import io.txwatch.plan.KeyColumn;
import io.txwatch.plan.ValuePlan;
import io.txwatch.plan.ValuePlan.Place;
import io.txwatch.plan.ValuePlan.Write;
import java.math.BigDecimal;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.UUID;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/**
 * What one execution of a statement shows of its rows, by keys and values.
 *
 * <p>It is bounded: of a result whose rows have more than {@link Chunk#MAX_ROWS_BYTES} the further
 * ones are not read, which the event states.
 */
public final class StatementValues implements ObservedValues {

  /** Learns the keys of rows. */
  public interface KeyNames {

    /** Notes that a row is named; false if it is already, or is not to be. */
    boolean isNew(String table, long key);

    /** Names a row by the values of its key, in a canonical form. */
    void name(String table, long key, List<KeyColumn> columns, List<String> values);
  }

  private static final int MAX_ZEROS = 40;

  private final ValuePlan plan;
  private final KeyNames names;
  private final boolean asksForColumns;
  private final ValueHash hash;
  private long sent;
  private long returned;
  private boolean hasReturned;
  private boolean isTaken;

  /** The hashes of the keys, as far as the statement pins them: by table, then column; 0 if not. */
  private final long[][] pinned;

  /** For each column of the result that is read, how; null before the first row, and at the end. */
  private ColumnReader @Nullable [] readers;

  private RowBuffer @Nullable [] buffers;
  private long[] current = new long[0];
  private int bytes;
  private String unread;
  private List<StatedWrite> writes;

  /** The constants of the condition by which it chooses its rows; null if it states none. */
  private final @Nullable Object @Nullable [] constants;

  private volatile boolean hasRows;
  private volatile boolean isReadToEnd;

  /**
   * A statement is to be sent, now or later.
   *
   * @param parameters its parameters, as they are set now
   * @param asksForColumns true if the driver may ask the DBMS what a result's columns are
   * @param names learns the keys of the rows that it states to write
   */
  public StatementValues(
      ValuePlan plan,
      ValueHash hash,
      PinnedValues parameters,
      boolean asksForColumns,
      KeyNames names) {
    this.names = names;
    this.plan = plan;
    this.asksForColumns = asksForColumns;
    this.hash = hash;
    this.unread = plan.unread();
    this.pinned = new long[plan.reads().size()][];
    for (int i = 0; i < pinned.length; i++) {
      ValuePlan.Read read = plan.reads().get(i);
      pinned[i] = hashes(read.key(), read.keyPlaces(), parameters);
    }
    this.writes = plan.write().map(write -> stated(write, parameters)).orElse(List.of());
    this.constants =
        plan.choice().isPresent() ? constants(plan.choice().get().constants(), parameters) : null;
  }

  private static @Nullable Object[] constants(List<Place> places, PinnedValues parameters) {
    @Nullable Object[] constants = new @Nullable Object[places.size()];
    for (int i = 0; i < constants.length; i++) {
      Object value = RowChange.WITHHELD;
      if (places.get(i) instanceof ValuePlan.Literal literal) {
        value = literal.value();
      } else if (places.get(i) instanceof ValuePlan.Parameter parameter) {
        value = given(parameter, parameters);
      }
      constants[i] = value == null ? RowChange.WITHHELD : value; // NULL, or one that is not kept
    }
    return constants;
  }

  /** The value of a parameter as the statement uses it; null also if that is not known. */
  private static @Nullable Object given(ValuePlan.Parameter parameter, PinnedValues parameters) {
    int number = parameter.number();
    Object value =
        parameters.isInteger(number)
            ? (Object) parameters.integer(number)
            : parameters.value(number);
    return switch (parameter.cast()) {
      case NONE -> value;
      case INTEGER -> value instanceof Long ? value : null;
      case TEXT -> value instanceof String ? value : null;
    };
  }

  private static final long[] NONE = {};

  private long[] hashes(List<KeyColumn> key, List<Place> places, PinnedValues parameters) {
    long[] hashes = NONE;
    for (int i = 0; i < places.size(); i++) {
      if (!(places.get(i) instanceof ValuePlan.Selected)) {
        hashes = hashes.length == 0 ? new long[places.size()] : hashes;
        hashes[i] = constant(places.get(i), key.get(i).kind(), parameters);
      }
    }
    return hashes;
  }

  /** The hash of a constant as a column of that kind has it; 0 if it is not known. */
  private long constant(Place place, KeyColumn.Kind kind, PinnedValues parameters) {
    if (place instanceof ValuePlan.Literal literal) {
      return of(literal.value(), kind);
    } else if (place instanceof ValuePlan.Parameter parameter) {
      return parameter.cast() == ValuePlan.Cast.NONE && parameters.isInteger(parameter.number())
          ? of(parameters.integer(parameter.number()), kind) // without an object
          : of(given(parameter, parameters), kind);
    }
    return 0;
  }

  /** The hash of a value that a column of that kind stores as it is given; 0 for another value. */
  private long of(@Nullable Object value, KeyColumn.Kind kind) {
    return switch (kind) {
      case INTEGER, NUMBER -> value instanceof Number ? hash.wide(value) : 0;
      case TEXT -> value instanceof String text ? hash.wide(text) : 0;
      case PADDED_TEXT ->
          value instanceof String text ? hash.wide(ColumnReader.withoutTrailingBlanks(text)) : 0;
      case UUID -> value instanceof UUID ? hash.wide(value) : 0;
      case OTHER -> 0;
    };
  }

  private List<StatedWrite> stated(Write write, PinnedValues parameters) {
    long[] keys = new long[write.rows().size()];
    int[] assigned = new int[keys.length * write.columns().size()];
    boolean complete = write.complete();
    for (int row = 0; row < keys.length; row++) {
      ValuePlan.Row stated = write.rows().get(row);
      keys[row] = key(write.key(), stated.key(), parameters);
      if (keys[row] != 0 && names.isNew(write.table(), keys[row])) {
        name(write, keys[row], stated.key(), parameters);
      }
      boolean isMoved =
          !write.newKey().isEmpty() && key(write.key(), write.newKey(), parameters) != keys[row];
      complete &= keys[row] != 0 && !isMoved;
      for (int i = 0; i < stated.values().size(); i++) {
        assigned[row * write.columns().size() + i] =
            ValueHash.folded(constant(stated.values().get(i), write.kinds().get(i), parameters));
      }
    }
    return Collections.singletonList(
        new StatedWrite(
            write.access(),
            new RowValues(write.table(), write.columns(), keys, assigned),
            complete));
  }

  /** A number with an exponent, such as 1E+1000000, is not expanded: it is no name. */
  private static String plain(BigDecimal decimal) {
    return Math.abs((long) decimal.scale()) > MAX_ZEROS ? "" : decimal.toPlainString();
  }

  private void name(Write write, long key, List<Place> places, PinnedValues parameters) {
    List<String> values = new ArrayList<>(places.size());
    for (int i = 0; i < places.size(); i++) {
      Object value =
          places.get(i) instanceof ValuePlan.Literal literal
              ? literal.value()
              : places.get(i) instanceof ValuePlan.Parameter parameter
                  ? given(parameter, parameters)
                  : null;
      String text = value instanceof BigDecimal decimal ? plain(decimal) : "" + value;
      String canonical = value == null ? "" : KeyText.canonical(write.key().get(i), text);
      if (canonical.isEmpty()) {
        return;
      }
      values.add(canonical);
    }
    names.name(write.table(), key, write.key(), values);
  }

  private long key(List<KeyColumn> columns, List<Place> places, PinnedValues parameters) {
    long key = 0;
    for (int i = 0; i < places.size(); i++) {
      long wide = constant(places.get(i), columns.get(i).kind(), parameters);
      key = i > 0 && key == 0 ? 0 : ValueHash.addedToKey(key, wide);
    }
    return key;
  }

  /** The statement is about to be sent. */
  public synchronized void sent() {
    sent = System.nanoTime();
  }

  /** The DBMS has executed the statement. */
  public synchronized void returned() {
    if (!hasReturned) {
      hasReturned = true;
      returned = System.nanoTime();
    }
  }

  /** A row of its result was read, or their end, maybe only now. */
  public synchronized void fetched() {
    hasReturned = true;
    returned = System.nanoTime();
  }

  @Override
  public synchronized long sentAt() {
    return sent;
  }

  @Override
  public synchronized long returnedAt() {
    returned();
    return returned;
  }

  @Override
  public synchronized long returnedSoFar() {
    return hasReturned ? returned : System.nanoTime();
  }

  /** True if rows of a result are to be {@linkplain #row noted}. */
  public boolean readsRows() {
    return !plan.reads().isEmpty();
  }

  /** True if it matters whether the application reads its result, and up to its end. */
  public boolean choosesRows() {
    return constants != null;
  }

  /** The application moved to a row of the result. */
  public void seen() {
    hasRows = true;
  }

  /** The application read the result to its end, and it was not cut before. */
  public void readToEnd() {
    isReadToEnd = true;
  }

  /** Rows of the result are not noted. */
  public synchronized void unread(String why) {
    if (readsRows()) {
      unread = why;
    }
  }

  /**
   * The DBMS gave an update count: with it, it is known whether the rows that the statement states
   * were written.
   *
   * @param count as the driver gave it, {@link Statement#SUCCESS_NO_INFO} included; -1 if it is not
   *     known
   */
  public synchronized void counted(long count) {
    if (writes.isEmpty()) {
      return;
    }
    StatedWrite stated = writes.get(0);
    int rows = stated.rows().size();
    boolean isInserted =
        stated.access() == Access.INSERT
            && plan.write().filter(write -> !write.mayLeaveOut()).isPresent();
    boolean isCertain = count == rows || (count == Statement.SUCCESS_NO_INFO && isInserted);
    if (count == 0) {
      writes = List.of(rowsOf(stated, true));
    } else if (rows > 0 && !isCertain) {
      writes = List.of(rowsOf(stated, false));
    }
  }

  /**
   * More is known of what it wrote than it states.
   *
   * @param known from what it states
   */
  public synchronized void written(UnaryOperator<List<StatedWrite>> known) {
    writes = List.copyOf(known.apply(writes));
  }

  /** A write of no row if it is complete; else one of which nothing is certain but the table. */
  private static StatedWrite rowsOf(StatedWrite stated, boolean complete) {
    RowValues none =
        new RowValues(stated.rows().table(), stated.rows().columns(), new long[0], new int[0]);
    return new StatedWrite(stated.access(), none, complete);
  }

  /**
   * Notes the row that a result stands on.
   *
   * @throws SQLException the driver's: the rest of the result is not read
   */
  public synchronized void row(ResultSet result) throws SQLException {
    RowBuffer[] into = buffers;
    if (into == null) {
      into = begin(result);
    }
    ColumnReader[] known = readers;
    if (known == null) {
      return;
    }
    int[] indexes = plan.places().indexes();
    for (int i = 0; i < known.length; i++) {
      current[i] = known[i].read(result, indexes[i], hash);
    }
    for (int table = 0; table < into.length; table++) {
      long key = key(table);
      if (key != 0) {
        into[table].add(key);
        int[] places = plan.places().values(table);
        for (int i = 0; i < places.length; i++) {
          into[table].value(i, ValueHash.folded(current[places[i]]));
        }
        bytes += Long.BYTES + Integer.BYTES * places.length;
      }
    }
    if (bytes > Chunk.MAX_ROWS_BYTES) {
      stop("too many rows");
    }
  }

  /** The key of the current row; 0 if a table has none in it. */
  private long key(int table) {
    int[] places = plan.places().key(table);
    long nothing = hash.wideNull();
    long key = 0;
    for (int i = 0; i < places.length; i++) {
      long wide = places[i] < 0 ? pinned[table][i] : current[places[i]];
      if (wide == nothing) { // the empty side of an outer join
        return 0;
      }
      key = i > 0 && key == 0 ? 0 : ValueHash.addedToKey(key, wide);
      if (key == 0) {
        unread = "a key that cannot be compared";
        return 0;
      }
    }
    return key;
  }

  private RowBuffer[] begin(ResultSet result) throws SQLException {
    ColumnReader[] made = readers(ResultColumns.of(result, asksForColumns));
    RowBuffer[] into = new RowBuffer[made == null ? 0 : plan.reads().size()];
    for (int i = 0; i < into.length; i++) {
      into[i] = new RowBuffer(plan.reads().get(i));
    }
    if (made == null) {
      unread = "the result has other columns than the table";
    } else {
      current = new long[made.length];
    }
    readers = made;
    buffers = into;
    return into;
  }

  /** How columns are read; null if they are not those that the plan was made for, or not known. */
  private ColumnReader @Nullable [] readers(@Nullable ResultColumns columns) throws SQLException {
    if (columns == null) {
      return null;
    }
    int count = columns.count();
    if (plan.resultColumns() >= 0 && plan.resultColumns() != count) {
      return null;
    }
    int[] indexes = plan.places().indexes();
    ColumnReader[] made = new ColumnReader[indexes.length];
    for (int i = 0; i < made.length; i++) {
      if (indexes[i] > count) {
        return null;
      }
      made[i] = ColumnReader.of(columns, indexes[i]);
    }
    return made;
  }

  /** Reads no further rows. */
  public synchronized void stop(String why) {
    unread = why;
    readers = null;
    if (buffers == null) {
      buffers = new RowBuffer[0];
    }
  }

  @Override
  public synchronized Event.@Nullable ValuesObserved take(
      long session, long transaction, int statement) {
    if (isTaken) {
      return null;
    }
    isTaken = true;
    List<RowValues> reads = new ArrayList<>();
    if (buffers != null) {
      for (RowBuffer buffer : buffers) {
        if (!buffer.isEmpty()) {
          reads.add(buffer.taken());
        }
      }
    }
    Event.ValuesObserved event =
        new Event.ValuesObserved(
            session, transaction, statement, sent, returnedAt(), reads, writes, unread, choices());
    buffers = new RowBuffer[0];
    readers = null;
    return event;
  }

  /** How it chose its rows; empty unless the application saw what it chose. */
  private List<RowChoice> choices() {
    @Nullable Object[] known = constants;
    if (known == null || plan.choice().isEmpty()) {
      return List.of();
    }
    ValuePlan.Choice of = plan.choice().get();
    boolean isSeen = of.oneRow() ? hasRows : isReadToEnd;
    boolean isFound =
        plan.reads().size() == 1 && plan.reads().get(0).pinned() && hasRows && unread.isEmpty();
    if (!isSeen || isFound) {
      return List.of();
    }
    boolean showsKeys = plan.reads().size() == 1 && isReadToEnd && unread.isEmpty();
    return List.of(
        new RowChoice(of.table(), of.condition(), Arrays.asList(known), of.used(), showsKeys));
  }
}
