package io.txwatch.jdbc.value;

import io.txwatch.capture.StatementRecording;
import io.txwatch.history.Event;
import io.txwatch.history.RecordedArray;
import io.txwatch.history.RecordedValue;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Types;
import java.time.OffsetDateTime;
import java.util.ArrayList;
import java.util.List;
import java.util.function.IntUnaryOperator;
import org.jspecify.annotations.Nullable;

/**
 * What one execution of a statement was given and returns, in clear text. Reads the rows that the
 * application reaches, and of them only values that a driver keeps: no large objects or streams.
 */
public final class RecordedResult implements StatementRecording {

  private final String sql;
  private final List<RecordedValue> parameters;
  private final boolean driverAsks;
  private final boolean mayCloseStreams;

  private final List<List<RecordedValue>> rows = new ArrayList<>(0);
  private List<String> columns = List.of();
  private int[] types = {};
  private int[] places = {};
  private long updateCount = -1;
  private boolean isComplete = true;
  private boolean isOpen;
  private boolean isTaken;
  private boolean isKnown;
  private boolean isUnreadable;

  /**
   * Records an execution.
   *
   * @param sql the application's text
   * @param parameters in the order of its placeholders
   * @param driverAsks true if the driver may query the DBMS for a result's metadata
   * @param mayCloseStreams true if reading one value may close the stream of another one
   */
  public RecordedResult(
      String sql, List<RecordedValue> parameters, boolean driverAsks, boolean mayCloseStreams) {
    this.sql = sql;
    this.parameters = parameters;
    this.driverAsks = driverAsks;
    this.mayCloseStreams = mayCloseStreams;
  }

  /** The DBMS has returned an update count. */
  public synchronized void counted(long count) {
    updateCount = Math.max(-1, count);
  }

  /**
   * The application has got a result, from which it may read rows.
   *
   * @param isUnordered true if it may read them in any order or write them: they are not read
   */
  public synchronized void opened(boolean isUnordered) {
    isOpen = true;
    isUnreadable |= isUnordered;
    isComplete &= !isUnordered;
  }

  /** The application has closed the result. */
  public synchronized void closed() {
    isOpen = false;
  }

  /**
   * The application has read the result to the end. If that has no rows, its columns are recorded
   * all the same: they distinguish it from a result of which nothing was read.
   *
   * @param visible the number of columns that the application sees; -1 for all
   * @param place the driver's index of each of them
   */
  public synchronized void ended(ResultSet result, int visible, IntUnaryOperator place) {
    if (isOpen && !isTaken && !isKnown && !isUnreadable) {
      isKnown = true;
      try {
        describe(result, visible, place);
      } catch (SQLException | RuntimeException | LinkageError e) {
        isComplete = false;
      }
    }
    isOpen = false;
  }

  /** True if the next row is to be read. A row beyond the limit is only noted. */
  public synchronized boolean takesRow() {
    if (isTaken || isUnreadable) {
      return false;
    }
    if (rows.size() < Event.ValuesRecorded.MAX_ROWS) {
      return true;
    }
    isComplete = false;
    return false;
  }

  /**
   * Reads the row that a result stands on.
   *
   * @param visible the number of columns that the application sees; -1 for all
   * @param place the driver's index of each of them
   */
  public synchronized void row(ResultSet result, int visible, IntUnaryOperator place) {
    try {
      if (!isKnown) {
        isKnown = true;
        describe(result, visible, place);
      }
      if (isUnreadable) {
        return;
      }
      List<RecordedValue> row = new ArrayList<>(types.length);
      for (int i = 0; i < types.length; i++) {
        RecordedValue value = value(result, places[i], types[i]);
        isComplete &= value.type() != RecordedValue.Type.UNKNOWN;
        row.add(value);
      }
      rows.add(row);
    } catch (SQLException | RuntimeException | LinkageError e) {
      isUnreadable = true;
      isComplete = false;
    }
  }

  private void describe(ResultSet result, int visible, IntUnaryOperator place) throws SQLException {
    ResultColumns all = ResultColumns.of(result, driverAsks);
    if (all == null || (mayCloseStreams && StreamedColumns.mayBeIn(result.getMetaData()))) {
      isUnreadable = true;
      isComplete = false;
      return;
    }
    int count = visible < 0 ? all.count() : visible;
    List<String> labels = new ArrayList<>(count);
    types = new int[count];
    places = new int[count];
    for (int i = 0; i < count; i++) {
      places[i] = place.applyAsInt(i + 1);
      labels.add(all.label(places[i]));
      types[i] = typeOf(all, places[i]);
    }
    columns = List.copyOf(labels);
  }

  private static int typeOf(ResultColumns columns, int index) throws SQLException {
    int type = columns.type(index);
    boolean isLong =
        switch (type) {
          case Types.LONGVARCHAR,
              Types.LONGNVARCHAR,
              Types.BINARY,
              Types.VARBINARY,
              Types.LONGVARBINARY ->
              columns.precision(index) < 0 || !ColumnReader.isShort(columns, index);
          default -> false;
        };
    if (type == Types.ARRAY && !RecordedArray.isKnownType(elementType(columns.typeName(index)))) {
      return Types.OTHER;
    }
    boolean isUuid = "uuid".equalsIgnoreCase(columns.typeName(index));
    return isUuid ? Types.JAVA_OBJECT : isLong ? Types.OTHER : type;
  }

  /**
   * The type of an array's elements, whose name drivers write {@code _int4} or {@code INT ARRAY}.
   */
  private static String elementType(@Nullable String array) {
    return array == null
        ? ""
        : array.replaceFirst("^_", "").replaceFirst("(\\(.*\\))? ARRAY(\\[\\d+\\])?$", "");
  }

  private static RecordedValue value(ResultSet result, int index, int type) throws SQLException {
    return switch (type) {
      case Types.CHAR,
          Types.NCHAR,
          Types.VARCHAR,
          Types.NVARCHAR,
          Types.LONGVARCHAR,
          Types.LONGNVARCHAR ->
          RecordedValue.of(result.getString(index));
      case Types.BINARY, Types.VARBINARY, Types.LONGVARBINARY ->
          RecordedValue.of(result.getBytes(index));
      case Types.TIMESTAMP_WITH_TIMEZONE ->
          RecordedValue.of(result.getObject(index, OffsetDateTime.class));
      case Types.BIT,
          Types.BOOLEAN,
          Types.TINYINT,
          Types.SMALLINT,
          Types.INTEGER,
          Types.BIGINT,
          Types.REAL,
          Types.FLOAT,
          Types.DOUBLE,
          Types.DECIMAL,
          Types.NUMERIC,
          Types.DATE,
          Types.TIME,
          Types.TIMESTAMP,
          Types.NULL,
          Types.ARRAY,
          Types.JAVA_OBJECT ->
          RecordedValue.of(result.getObject(index));
      default -> RecordedValue.UNKNOWN;
    };
  }

  @Override
  public synchronized Event.ValuesRecorded take(long session, long transaction, int statement) {
    isTaken = true;
    boolean areParametersKnown =
        parameters.stream().noneMatch(value -> value.type() == RecordedValue.Type.UNKNOWN);
    return new Event.ValuesRecorded(
        session,
        transaction,
        statement,
        sql,
        parameters,
        updateCount,
        columns,
        List.copyOf(rows),
        isComplete && !isOpen && areParametersKnown);
  }
}
