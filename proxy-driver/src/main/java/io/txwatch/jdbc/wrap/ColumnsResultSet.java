package io.txwatch.jdbc.wrap;

import io.txwatch.jdbc.execution.ExecutionContext;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The result of {@link java.sql.DatabaseMetaData#getColumns} without our columns, and with the
 * positions that the others have without them: a column that was added to a prepared table comes
 * after ours.
 */
class ColumnsResultSet extends FilteredResultSet {

  static final int NAME = 4;

  private static final int POSITION = 17;
  private static final String POSITION_LABEL = "ORDINAL_POSITION";

  /** Returns all columns of the table that a row describes a column of; null if they are known. */
  interface AllColumns {
    @Nullable ResultSet of(ResultSet row) throws SQLException;
  }

  private final AllColumns allColumns;

  /** The positions of our columns, by table. */
  private final Map<String, List<Integer>> ourPositions;

  private ColumnsResultSet(
      ResultSet delegate,
      ExecutionContext context,
      Ours ours,
      AllColumns allColumns,
      Map<String, List<Integer>> ourPositions) {
    super(delegate, context, ours);
    this.allColumns = allColumns;
    this.ourPositions = ourPositions;
  }

  /**
   * Hides our columns.
   *
   * @param allColumns used where the result may lack our columns, because it is of some names only
   */
  static ResultSet of(
      ResultSet delegate, ExecutionContext context, Ours ours, AllColumns allColumns) {
    Map<String, List<Integer>> positions = new HashMap<>();
    return new ColumnsResultSet(
        delegate, context, row -> test(row, ours, positions), allColumns, positions);
  }

  /** Rows are in the order of their positions, so ours are seen before those behind them. */
  private static boolean test(ResultSet row, Ours ours, Map<String, List<Integer>> positions)
      throws SQLException {
    boolean found = ours.test(row);
    if (found) {
      List<Integer> ofTable = positions.computeIfAbsent(table(row), any -> new ArrayList<>());
      int position = row.getInt(POSITION);
      if (!ofTable.contains(position)) {
        ofTable.add(position);
      }
    }
    return found;
  }

  private static String table(ResultSet row) throws SQLException {
    return row.getString(1) + "\n" + row.getString(2) + "\n" + row.getString(3);
  }

  /** The number of our columns before the one that the current row describes. */
  private int hidden() throws SQLException {
    String table = table(delegate);
    if (!ourPositions.containsKey(table)) {
      ourPositions.put(table, new ArrayList<>());
      try (ResultSet all = allColumns.of(delegate)) {
        while (all != null && all.next()) {
          if (table(all).equals(table)) {
            isOurs(all); // notes its position
          }
        }
      }
    }
    int position = delegate.getInt(POSITION);
    return (int)
        ourPositions.getOrDefault(table, List.of()).stream()
            .filter(each -> each < position)
            .count();
  }

  private int hidden(int column) throws SQLException {
    return column == POSITION ? hidden() : 0;
  }

  private int hidden(String label) throws SQLException {
    return POSITION_LABEL.equalsIgnoreCase(label) ? hidden() : 0;
  }

  @Override
  public int getInt(int column) throws SQLException {
    int hidden = hidden(column);
    return super.getInt(column) - hidden;
  }

  @Override
  public int getInt(String label) throws SQLException {
    int hidden = hidden(label);
    return super.getInt(label) - hidden;
  }

  @Override
  public long getLong(int column) throws SQLException {
    int hidden = hidden(column);
    return super.getLong(column) - hidden;
  }

  @Override
  public long getLong(String label) throws SQLException {
    int hidden = hidden(label);
    return super.getLong(label) - hidden;
  }

  @Override
  public short getShort(int column) throws SQLException {
    int hidden = hidden(column);
    return (short) (super.getShort(column) - hidden);
  }

  @Override
  public short getShort(String label) throws SQLException {
    int hidden = hidden(label);
    return (short) (super.getShort(label) - hidden);
  }

  @Override
  public byte getByte(int column) throws SQLException {
    int hidden = hidden(column);
    return (byte) (super.getByte(column) - hidden);
  }

  @Override
  public byte getByte(String label) throws SQLException {
    int hidden = hidden(label);
    return (byte) (super.getByte(label) - hidden);
  }

  @Override
  public float getFloat(int column) throws SQLException {
    int hidden = hidden(column);
    return super.getFloat(column) - hidden;
  }

  @Override
  public float getFloat(String label) throws SQLException {
    int hidden = hidden(label);
    return super.getFloat(label) - hidden;
  }

  @Override
  public double getDouble(int column) throws SQLException {
    int hidden = hidden(column);
    return super.getDouble(column) - hidden;
  }

  @Override
  public double getDouble(String label) throws SQLException {
    int hidden = hidden(label);
    return super.getDouble(label) - hidden;
  }

  @Override
  public @Nullable BigDecimal getBigDecimal(int column) throws SQLException {
    int hidden = hidden(column);
    return (BigDecimal) less(super.getBigDecimal(column), hidden);
  }

  @Override
  public @Nullable BigDecimal getBigDecimal(String label) throws SQLException {
    int hidden = hidden(label);
    return (BigDecimal) less(super.getBigDecimal(label), hidden);
  }

  @Override
  public @Nullable String getString(int column) throws SQLException {
    int hidden = hidden(column);
    return hidden == 0 ? super.getString(column) : String.valueOf(super.getInt(column) - hidden);
  }

  @Override
  public @Nullable String getString(String label) throws SQLException {
    int hidden = hidden(label);
    return hidden == 0 ? super.getString(label) : String.valueOf(super.getInt(label) - hidden);
  }

  @Override
  public @Nullable Object getObject(int column) throws SQLException {
    int hidden = hidden(column);
    return less(super.getObject(column), hidden);
  }

  @Override
  public @Nullable Object getObject(String label) throws SQLException {
    int hidden = hidden(label);
    return less(super.getObject(label), hidden);
  }

  @Override
  public <T> @Nullable T getObject(int column, Class<T> type) throws SQLException {
    int hidden = hidden(column);
    T value = super.getObject(column, type);
    return hidden == 0 ? value : type.cast(less(value, hidden));
  }

  @Override
  public <T> @Nullable T getObject(String label, Class<T> type) throws SQLException {
    int hidden = hidden(label);
    T value = super.getObject(label, type);
    return hidden == 0 ? value : type.cast(less(value, hidden));
  }

  /** A number of the driver's type. */
  private static @Nullable Object less(@Nullable Object value, int hidden) {
    if (hidden == 0 || value == null) {
      return value;
    }
    if (value instanceof Integer number) {
      return number - hidden;
    }
    if (value instanceof Long number) {
      return number - hidden;
    }
    if (value instanceof Short number) {
      return (short) (number - hidden);
    }
    if (value instanceof BigInteger number) {
      return number.subtract(BigInteger.valueOf(hidden));
    }
    if (value instanceof BigDecimal number) {
      return number.subtract(BigDecimal.valueOf(hidden));
    }
    return value instanceof String text ? String.valueOf(Integer.parseInt(text) - hidden) : value;
  }
}
