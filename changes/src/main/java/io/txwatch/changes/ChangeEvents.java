package io.txwatch.changes;

import io.txwatch.history.Access;
import io.txwatch.history.Database;
import io.txwatch.history.Event;
import io.txwatch.history.GapReason;
import io.txwatch.history.ValueHash;
import java.io.IOException;
import java.math.BigDecimal;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * Emits what a source reads as events of a history, with values as hashes. Thread-safe; events are
 * emitted one at a time, in the order of the record.
 */
public final class ChangeEvents implements ChangeListener {

  /** Statements that change nothing that was there. */
  private static final Pattern CREATES =
      Pattern.compile(
          "\\s*(?:create\\s+(?!or\\s+replace\\b)|grant\\b|analyze\\b)", Pattern.CASE_INSENSITIVE);

  /** Longer texts are not kept for conditions. */
  private static final int MAX_PLAIN_LENGTH = 64;

  private final long session;
  private final String home;
  private final ValueHash hash;
  private final Consumer<Event> out;
  private final NewRows newRows;

  /** Whether a CHAR is equal to a text only if that has the blanks as well: H2. */
  private final boolean comparesPadding;

  private static final int MAX_HELD = 1 << 12;

  /** A number with more zeros, such as 1E+1000, is not written out. */
  private static final int MAX_ZEROS = 40;

  /** Which rows have no name yet. */
  public interface NewRows {

    /**
     * Notes that a row is named.
     *
     * @param key the hash of its key
     * @return false if it is named already, or is not to be
     */
    boolean add(String table, long key);
  }

  /**
   * What was read before any statement of a watched session was executed, as far as it need not be
   * known where it does not continue what precedes it; null from the first such statement on.
   */
  private @Nullable List<Event> held = new ArrayList<>();

  private volatile @Nullable Mark mark;
  private volatile long through = Long.MIN_VALUE;

  /**
   * A time, and the end of the record as it was queried afterwards: once it is passed, the record
   * was read through that time.
   */
  private record Mark(long nanos, LogPosition end) {}

  /**
   * Opens a session for the reader of a record.
   *
   * @param session its id
   * @param name its display name
   * @param database as the watched sessions have it
   * @param comparesPadding whether texts of CHAR are unequal that differ in trailing spaces alone
   * @param home the schema whose tables they name without it
   * @param hash that of the watched sessions
   * @param newRows which rows have no name yet
   * @param out receives the events
   */
  public ChangeEvents(
      long session,
      String name,
      Database database,
      boolean comparesPadding,
      String home,
      ValueHash hash,
      NewRows newRows,
      Consumer<Event> out) {
    this.session = session;
    this.home = home;
    this.hash = hash;
    this.newRows = newRows;
    this.out = out;
    this.comparesPadding = comparesPadding;
    out.accept(new Event.SessionOpened(session, name, database));
  }

  @Override
  public synchronized void transaction(ChangedTransaction transaction) {
    List<io.txwatch.history.RowChange> changes = new ArrayList<>(transaction.changes().size());
    for (ChangedRow change : transaction.changes()) {
      io.txwatch.history.RowChange event = event(change);
      changes.add(event);
      name(event.table(), event.keyBefore(), change.table(), change.before());
      name(event.table(), event.keyAfter(), change.table(), change.after());
    }
    emit(
        new Event.Changed(
            session,
            Math.max(0, transaction.connectionId()),
            transaction.end().toString(),
            System.nanoTime(),
            Math.max(0, transaction.commitMicros()),
            changes));
  }

  /** Names a row by a key of numbers, which is no personal value. */
  private void name(String name, long hash, ChangedTable table, @Nullable Object @Nullable [] row) {
    ChangedTable.Key key = table.rowKey();
    if (hash == 0 || key == null || row == null || !newRows.add(name, hash)) {
      return;
    }
    List<String> values = new ArrayList<>();
    for (int column : key.columns()) {
      Object value = row[column];
      if (value instanceof BigDecimal decimal && Math.abs((long) decimal.scale()) <= MAX_ZEROS) {
        values.add(decimal.toPlainString());
      } else if (value instanceof Number && !(value instanceof BigDecimal)) {
        values.add(value.toString());
      } else {
        return;
      }
    }
    String joined = String.join(", ", values);
    emit(new Event.RowNamed(session, name, hash, values.size() == 1 ? joined : "(" + joined + ")"));
  }

  private void emit(Event event) {
    List<Event> before = held;
    if (before == null) {
      out.accept(event);
      return;
    }
    before.add(event);
    if (before.size() > MAX_HELD) {
      used();
    }
  }

  /**
   * Statements of watched sessions may be executed from now on. They are from the first event on
   * that states how far the record was read; to be called if they do not wait for it.
   */
  public synchronized void used() {
    List<Event> before = held;
    held = null;
    if (before != null) {
      before.forEach(out);
    }
  }

  /**
   * What was committed so far does not continue what precedes it. Before the first statement of a
   * watched session nothing is missing then: that is what was there first.
   */
  private void interrupted(String detail) {
    List<Event> before = held;
    if (before == null) {
      missing(detail);
    } else {
      before.removeIf(Event.Changed.class::isInstance);
    }
  }

  private io.txwatch.history.RowChange event(ChangedRow change) {
    ChangedTable table = change.table();
    Access access =
        switch (change.kind()) {
          case INSERT -> Access.INSERT;
          case UPDATE -> Access.UPDATE;
          case DELETE -> Access.DELETE;
        };
    return new io.txwatch.history.RowChange(
        access,
        name(table.schema(), table.name()),
        table.columnNames(),
        key(table, change.before()),
        key(table, change.after()),
        values(table, change.before()),
        values(table, change.after()),
        change.statement(),
        plain(table, change.before()),
        plain(table, change.after()));
  }

  private String name(String schema, String table) {
    return schema.equals(home) ? table : schema + "." + table;
  }

  /** The hash of the primary key; of a table without one, of its first key without nulls. */
  private long key(ChangedTable table, @Nullable Object @Nullable [] row) {
    ChangedTable.Key key = table.rowKey();
    if (row == null || key == null) {
      return 0;
    }
    long hashed = 0;
    for (int column : key.columns()) {
      hashed = ValueHash.addedToKey(hashed, wide(table.columns().get(column), row[column]));
      if (hashed == 0) {
        return 0;
      }
    }
    return hashed;
  }

  private int[] values(ChangedTable table, @Nullable Object @Nullable [] row) {
    if (row == null) {
      return new int[0];
    }
    int[] hashes = new int[row.length];
    for (int i = 0; i < hashes.length; i++) {
      hashes[i] = ValueHash.folded(wide(table.columns().get(i), row[i]));
    }
    return hashes;
  }

  /** The values that conditions compare; an order of texts is the DBMS's own. */
  private @Nullable Object[] plain(ChangedTable table, @Nullable Object @Nullable [] row) {
    if (row == null) {
      return new Object[0];
    }
    @Nullable Object[] plain = new @Nullable Object[row.length];
    for (int i = 0; i < plain.length; i++) {
      boolean isPlain =
          switch (table.columns().get(i).type()) {
            case INTEGER, BOOLEAN, DECIMAL, TEXT, LABEL, DATE, DATE_TIME -> true;
            case PADDED_TEXT -> !comparesPadding;
            case DOUBLE, BYTES, INSTANT, DURATION, YEAR, BITS, OTHER -> false;
          };
      Object value = row[i];
      boolean isWithheld =
          value instanceof UnknownValue
              || value instanceof String text && text.length() > MAX_PLAIN_LENGTH;
      plain[i] =
          value == null || isPlain && !isWithheld ? value : io.txwatch.history.RowChange.WITHHELD;
    }
    return plain;
  }

  /** The hash of a value; 0 if it is not known, or cannot be compared. */
  private long wide(ChangedTable.Column column, @Nullable Object value) {
    return value == null || column.type().isComparable() ? hash.wide(value) : 0;
  }

  /** A transaction is missing: what the record states from here on continues no earlier version. */
  @Override
  public synchronized void gap(ChangeGap gap) {
    if (gap.reason() == ChangeGap.Reason.OTHER_SERVER
        || gap.reason() == ChangeGap.Reason.RECORD_LOST) {
      mark = null; // positions before are not comparable
    }
    String table = gap.table().isEmpty() ? "" : " of " + name(gap.schema(), gap.table());
    String detail = "changes" + table + ": " + gap.detail();
    if (gap.reason() == ChangeGap.Reason.WRITTEN_BEFORE) {
      interrupted(detail);
    } else {
      missing(detail);
    }
  }

  /** The rows of a table may be gone, or others, without a change of each. */
  @Override
  public synchronized void schemaChange(SchemaChange change) {
    if (!CREATES.matcher(change.text()).lookingAt()) {
      interrupted("a change of the schema");
    }
  }

  private void missing(String detail) {
    emit(new Event.Gap(session, 0, GapReason.NOT_RECORDED, detail, 1));
  }

  @Override
  public synchronized void position(LogPosition position, boolean caughtUp) {
    Mark waiting = mark;
    if (waiting != null && position.compareTo(waiting.end()) >= 0) {
      mark = null;
      through = waiting.nanos();
      used();
      out.accept(new Event.ChangesRead(session, waiting.nanos()));
    }
  }

  /**
   * Asks the DBMS for the end of its record; once the source has passed it, an event states that
   * the record was read through the time of this call. To be called once the source was started:
   * before, no transaction waits for the record. Then while one does, a few dozen times a second at
   * most.
   *
   * @param source the source of these changes
   * @throws IOException if the DBMS cannot be queried
   */
  public void readThroughNow(ChangeSource source) throws IOException {
    if (!isWaiting()) { // else the source is behind an earlier one
      long now = System.nanoTime();
      readThrough(now, source.endOfLog(), source);
    }
  }

  /**
   * The same with an end that was queried before.
   *
   * @param nanos a time before it was queried
   * @param end of the record
   * @param source the source of these changes, which may have passed the end meanwhile
   */
  public synchronized void readThrough(long nanos, LogPosition end, ChangeSource source) {
    mark = new Mark(nanos, end);
    position(source.position(), false); // queried last: a later one is stated, and finds the mark
  }

  /** True if the source is behind an end that was queried. */
  public boolean isWaiting() {
    return mark != null;
  }

  /** The time through which the record was read; {@link Long#MIN_VALUE} at first. */
  public long through() {
    return through;
  }
}
