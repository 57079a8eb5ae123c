package io.txwatch.jdbc.wrap;

import io.txwatch.catalog.AuxiliaryColumns;
import io.txwatch.dialect.DialectSql;
import io.txwatch.jdbc.error.ErrorMessages;
import java.sql.ResultSetMetaData;
import java.sql.SQLException;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * Which columns of a result the application may see: a map between its column indexes and the
 * driver's.
 *
 * <p>An index that is out of the application's range is mapped to one that is out of the driver's,
 * by as much, so that the driver itself raises the error.
 */
final class ColumnMask {

  /** Columns whose names begin so are ours. */
  private static final String PREFIX = "txw_";

  private final int visible;
  private final int behind;

  /** The driver's index of each visible column, from 1; null if the visible ones come first. */
  private final int @Nullable [] indexes;

  private ColumnMask(int visible, int behind, int @Nullable [] indexes) {
    this.visible = visible;
    this.behind = behind;
    this.indexes = indexes;
  }

  /** Hides the last {@code hidden} of {@code behind} columns. */
  static ColumnMask ofLast(int hidden, int behind) {
    return new ColumnMask(Math.max(0, behind - hidden), behind, null);
  }

  /** Hides the last {@code appended} columns, and before them those named as our columns are. */
  static ColumnMask ofNames(ResultSetMetaData metaData, int appended, DialectSql sql)
      throws SQLException {
    // Where tables are not changed, a column with one of the plain names is the application's.
    return ofNames(metaData, appended, !sql.hasAuxiliaryColumns());
  }

  /** Hides the columns of generated keys that are named as ours are: a write may return them. */
  static ColumnMask ofKeys(ResultSetMetaData metaData) throws SQLException {
    return ofNames(metaData, 0, false);
  }

  private static ColumnMask ofNames(ResultSetMetaData metaData, int appended, boolean numberedOnly)
      throws SQLException {
    int behind = metaData.getColumnCount();
    int[] indexes = new int[behind];
    int visible = 0;
    for (int i = 1; i <= behind - appended; i++) {
      if (!isOurColumn(metaData.getColumnLabel(i), numberedOnly)) {
        indexes[visible++] = i;
      }
    }
    boolean first = visible == 0 || indexes[visible - 1] == visible;
    return new ColumnMask(visible, behind, first ? null : Arrays.copyOf(indexes, visible));
  }

  /** One of the two columns, or one that a derived table carries under its name and a number. */
  private static boolean isOurColumn(@Nullable String label, boolean numberedOnly) {
    return isNumbered(label, AuxiliaryColumns.ROW_ID, numberedOnly)
        || isNumbered(label, AuxiliaryColumns.WRITERS, numberedOnly);
  }

  private static boolean isNumbered(@Nullable String label, String name, boolean numberedOnly) {
    return label != null
        && !(numberedOnly && label.length() == name.length())
        && label.regionMatches(true, 0, name, 0, name.length())
        && label.chars().skip(name.length()).allMatch(Character::isDigit);
  }

  /** True if a column, a sequence, an index of that name is ours. */
  static boolean isOurs(@Nullable String name) {
    return name != null && name.regionMatches(true, 0, PREFIX, 0, PREFIX.length());
  }

  /** How many columns the application sees. */
  int visible() {
    return visible;
  }

  /** How many columns the driver knows. */
  int count() {
    return behind;
  }

  /** True if any column is hidden. */
  boolean hidesAny() {
    return visible < behind;
  }

  /** The driver's index of a column. */
  int behind(int index) {
    if (index > visible) {
      return index > behind ? index : behind + (index - visible);
    }
    return indexes == null || index < 1 ? index : indexes[index - 1];
  }

  /** A driver's error about a column, in the application's numbers. */
  SQLException shown(SQLException error, int index) {
    return index >= 1 && index <= visible
        ? error
        : ErrorMessages.ofNumber(error, behind(index), index, behind, visible);
  }

  /** The application's index of a visible column, by the driver's. */
  int front(int index) {
    if (indexes == null) {
      return index;
    }
    int found = Arrays.binarySearch(indexes, index);
    return found < 0 ? index : found + 1;
  }
}
