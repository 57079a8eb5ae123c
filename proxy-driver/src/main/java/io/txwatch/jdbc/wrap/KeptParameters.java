package io.txwatch.jdbc.wrap;

import io.txwatch.dialect.DriverTraits;
import io.txwatch.history.KeyValues;
import io.txwatch.history.RecordedValue;
import io.txwatch.jdbc.error.Places;
import io.txwatch.jdbc.parameter.ParameterSetter;
import io.txwatch.jdbc.parameter.Parameters;
import io.txwatch.jdbc.plan.CachedPlan;
import io.txwatch.jdbc.plan.KeyedRowHasher;
import io.txwatch.jdbc.plan.PinnedValues;
import io.txwatch.plan.Carried;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.util.BitSet;
import java.util.List;
import java.util.function.IntPredicate;
import org.jspecify.annotations.Nullable;

/**
 * What an application has set on a prepared statement, as far as it may be needed again: by another
 * text that takes the values over, by reads beside the statement, for the key by which it finds a
 * row.
 */
final class KeptParameters implements PinnedValues {

  /** Stands for a value in {@link #pinnedIntegers}. */
  private static final Object INTEGER = new Object();

  private final int count;
  private final DriverTraits driver;
  private @Nullable ParameterSetter @Nullable [] setters;
  private long @Nullable [] hashes;

  /** The parameters that were set last when no hashes were kept; null if there are none. */
  private @Nullable BitSet unhashed;

  /** The bits of the parameters that are values of a key. */
  private long @Nullable [] keyValues;

  /** The parameters that rows are named by: integers, and other values. */
  private long @Nullable [] pinnedIntegers;

  private @Nullable Object @Nullable [] pinned;
  private int changes;

  /** The values as they are recorded, if they are. */
  private @Nullable RecordedValue @Nullable [] recorded;

  private boolean streamed;

  /**
   * Nothing was set yet.
   *
   * @param count how many parameters the application's text has
   * @param driver has its own ways with values that change
   */
  KeptParameters(int count, DriverTraits driver) {
    this.count = count;
    this.driver = driver;
  }

  /**
   * What was set, at the time when a row was added to a batch.
   *
   * @param keyValues of the rows that it chooses or inserts
   * @param recorded the values, if they are recorded
   * @param streamed true if something was set from a stream, and the row cannot be set once more
   */
  record Snapshot(
      @Nullable ParameterSetter @Nullable [] setters,
      long @Nullable [] hashes,
      long key,
      List<KeyValues> keyValues,
      List<RecordedValue> recorded,
      boolean streamed) {}

  /** Records the value of a parameter. */
  void record(int index, RecordedValue value) {
    if (index >= 1 && index <= count) {
      if (recorded == null) {
        recorded = new RecordedValue[count];
      }
      recorded[index - 1] = value;
    }
  }

  /** The values that are set now, as far as they were recorded. */
  List<RecordedValue> recorded() {
    RecordedValue[] all = new RecordedValue[count];
    for (int i = 0; i < count; i++) {
      RecordedValue value = recorded == null ? null : recorded[i];
      all[i] = value == null ? RecordedValue.UNKNOWN : value;
    }
    return List.of(all);
  }

  void keep(int index, ParameterSetter setter) {
    if (index >= 1 && index <= count) {
      if (setters == null) {
        setters = new ParameterSetter[count];
      }
      setters[index - 1] = setter;
    }
  }

  void keepHash(int index, long hash) {
    if (index >= 1 && index <= count) {
      if (unhashed != null) {
        unhashed.clear(index);
        unhashed = unhashed.isEmpty() ? null : unhashed;
      }
      if (hashes == null) {
        hashes = new long[count];
      }
      hashes[index - 1] = hash;
    }
  }

  void keepKeyValue(int index, long bits) {
    if (keyValues == null) {
      keyValues = new long[count];
    }
    keyValues[index - 1] = bits;
  }

  /** Keeps an integer that rows are named by. */
  void pin(int index, long value) {
    pin(index, INTEGER);
    if (pinnedIntegers == null) {
      pinnedIntegers = new long[count];
    }
    pinnedIntegers[index - 1] = value;
  }

  /** Keeps a value that rows are named by; null if it is not known. */
  void pin(int index, @Nullable Object value) {
    changes++;
    if (pinned == null) {
      pinned = new @Nullable Object[count];
    }
    pinned[index - 1] = value;
  }

  /** What was set may be for other parameters than are to be kept now. */
  void unpin() {
    changes++;
    pinned = null;
  }

  /**
   * Another plan keeps other parameters: those that the one before did not keep are not known.
   *
   * @param before the plan before
   * @param wasPinned whether it kept a parameter as a value that rows are named by
   */
  void plannedAnew(CachedPlan before, IntPredicate wasPinned) {
    KeyedRowHasher key = before.key();
    for (int i = 0; keyValues != null && i < count; i++) {
      if (key == null || !key.takes(i + 1)) {
        keyValues[i] = 0;
      }
    }
    if (!before.comparesPredicates() && count > 0) {
      unhashed = new BitSet();
      unhashed.set(1, count + 1);
    }
    unpinUnless(wasPinned);
  }

  private void unpinUnless(IntPredicate wasPinned) {
    changes++;
    for (int i = 0; pinned != null && i < count; i++) {
      if (!wasPinned.test(i + 1)) {
        pinned[i] = null;
      }
    }
  }

  @Override
  public int changes() {
    return changes;
  }

  @Override
  public @Nullable Object value(int parameter) {
    return pinned == null ? null : pinned[parameter - 1];
  }

  @Override
  public boolean isInteger(int parameter) {
    return value(parameter) == INTEGER;
  }

  @Override
  public long integer(int parameter) {
    return pinnedIntegers == null ? 0 : pinnedIntegers[parameter - 1];
  }

  /** The bits of a key with the values that were set. */
  long bits(KeyedRowHasher key) {
    return key.bits(keyValues);
  }

  /** A parameter was set from a stream, which can be read once only. */
  void streamed() {
    streamed = true;
  }

  boolean isStreamed() {
    return streamed;
  }

  /** The application has cleared its parameters. */
  void clear() {
    setters = null;
    hashes = null;
    unhashed = null;
    keyValues = null;
    recorded = null;
    unpin();
  }

  /** For reads beside the statement. */
  Parameters parameters() {
    return new Parameters(setters, unhashed == null ? hashes : null, !streamed);
  }

  /** Sets them on a statement of a plan's. */
  void replay(PreparedStatement statement, CachedPlan cached) throws SQLException {
    replay(setters, statement, cached);
  }

  /** Sets the parameters that the text takes once more. */
  void setAgain(CachedPlan cached, PreparedStatement statement) throws SQLException {
    setAgain(setters, cached.plan().carried(), statement);
  }

  private static void setAgain(
      @Nullable ParameterSetter @Nullable [] setters, Carried carried, PreparedStatement statement)
      throws SQLException {
    int[] places = carried.places();
    for (int i = 0; i < places.length; i++) {
      int number = carried.parameters()[i];
      ParameterSetter setter =
          setters == null || number > setters.length ? null : setters[number - 1];
      if (setter != null) {
        setter.set(statement, places[i]);
      } // else the application has not set it, which the driver will report
    }
  }

  /**
   * What is set now, for a row of a batch.
   *
   * @param key the bits of the key by which it finds a row
   * @param keyValues of the rows that it chooses or inserts
   * @param values as they are recorded; empty if they are not
   */
  Snapshot snapshot(long key, List<KeyValues> keyValues, List<RecordedValue> values) {
    return new Snapshot(
        streamed || setters == null
            ? null
            : Parameters.each(setters, setter -> setter.added(driver)),
        hashes == null || unhashed != null ? null : hashes.clone(),
        key,
        keyValues,
        values,
        streamed);
  }

  /** Sets what was set when a row was added to a batch. */
  static void replay(Snapshot then, PreparedStatement statement, CachedPlan cached)
      throws SQLException {
    replay(then.setters(), statement, cached);
    setAgain(then.setters(), cached.plan().carried(), statement);
  }

  /** What was set when a row was added to a batch, for reads beside it. */
  Parameters parameters(Snapshot then) {
    return new Parameters(then.setters(), then.hashes(), then.setters() != null || !streamed);
  }

  private static void replay(
      @Nullable ParameterSetter @Nullable [] setters,
      PreparedStatement statement,
      CachedPlan cached)
      throws SQLException {
    if (setters == null) {
      return;
    }
    for (int i = 0; i < setters.length; i++) {
      ParameterSetter setter = setters[i];
      if (setter != null) {
        setter.set(statement, Places.behind(cached.plan(), i + 1));
      }
    }
  }
}
