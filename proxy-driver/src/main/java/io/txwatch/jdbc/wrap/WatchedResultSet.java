package io.txwatch.jdbc.wrap;

import io.txwatch.jdbc.error.ErrorMessages;
import io.txwatch.jdbc.execution.Execution;
import io.txwatch.jdbc.value.RecordedResult;
import java.sql.ResultSet;
import java.sql.ResultSetMetaData;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Objects;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * A result of which the application does not see every column. What stands in the appended ones is
 * noted for each row that the application reaches, once, and for no other.
 */
class WatchedResultSet extends StatementResultSet {

  private static final Pattern ALL_LABELS =
      Pattern.compile("(?s)(?<before>.*Possible value \\[)(?<labels>.*)(?<after>\\].*)");

  private final ColumnMask mask;
  private final @Nullable Execution execution;
  private final @Nullable RecordedResult recorded;

  /** The driver's index of the first appended column; 0 if there is none. */
  private final int firstAppended;

  /** Rows noted, by number, if the application can come back to a row. */
  private final @Nullable BitSet noted;

  private WatchedResultSet(
      ResultSet delegate,
      Origin origin,
      ColumnMask mask,
      @Nullable Execution execution,
      @Nullable RecordedResult recorded,
      int firstAppended) {
    super(delegate, origin);
    this.mask = mask;
    this.execution = execution;
    this.recorded = recorded;
    this.firstAppended = firstAppended;
    this.noted = execution != null && origin.scrollable() ? new BitSet() : null;
  }

  /** The result of an execution whose plan hides columns. */
  static ResultSet of(ResultSet delegate, Origin origin, Execution execution) throws SQLException {
    ResultSetMetaData metaData = delegate.getMetaData();
    int appended = execution.cached().appendedColumns();
    int columns = metaData.getColumnCount();
    ColumnMask mask =
        execution.cached().plan().starShowsAuxiliary()
            ? ColumnMask.ofNames(metaData, appended, origin.context().sql())
            : ColumnMask.ofLast(appended, columns);
    if (appended == 0) {
      execution.succeeded(false);
    }
    return new WatchedResultSet(
        delegate,
        origin,
        mask,
        execution,
        execution.recorded(),
        appended == 0 ? 0 : columns - appended + 1);
  }

  /**
   * Generated keys, ours hidden. H2 takes the row id for a key: where it is the only one, there are
   * no keys, and no rows.
   *
   * @param recorded where its rows are recorded; null if they are not
   */
  static ResultSet ofKeys(ResultSet delegate, Origin origin, @Nullable RecordedResult recorded)
      throws SQLException {
    if (origin.context().isByValue()) {
      return unmasked(delegate, origin, recorded); // none are ours, and H2's driver might ask
    }
    ColumnMask mask = ColumnMask.ofKeys(delegate.getMetaData());
    if (mask.hidesAny() && mask.visible() == 0) {
      while (delegate.next()) {
        // to the end
      }
    }
    return mask.hidesAny()
        ? new WatchedResultSet(delegate, origin, mask, null, recorded, 0)
        : unmasked(delegate, origin, recorded);
  }

  private static ResultSet unmasked(
      ResultSet delegate, Origin origin, @Nullable RecordedResult recorded) {
    return recorded == null
        ? new PlainResultSet(delegate, origin)
        : new RecordedResultSet(delegate, origin, recorded);
  }

  // ---------------------------------------------------------------- columns

  @Override
  protected int column(int index) {
    return mask.behind(index);
  }

  @Override
  protected String label(String label) {
    return label == null || !mask.hidesAny() || !ColumnMask.isOurs(label) || isShown(label)
        ? label
        : label + " "; // the name of no column
  }

  /** True if the application's columns have a label of ours among them: drivers find the first. */
  private boolean isShown(String label) {
    try {
      ResultSetMetaData columns = delegate.getMetaData();
      for (int i = 1; i <= mask.visible(); i++) {
        if (label.equalsIgnoreCase(columns.getColumnLabel(mask.behind(i)))) {
          return true;
        }
      }
    } catch (SQLException e) {
      // The driver will raise the application's error.
    }
    return false;
  }

  @Override
  protected SQLException shown(SQLException error, int index) {
    return mask.shown(error, index);
  }

  /** MariaDB's driver lists all labels in its message; ours are taken out. */
  @Override
  protected SQLException shown(SQLException error, String label) {
    String given = label(label);
    return ErrorMessages.change(
        error,
        message -> {
          String named =
              Objects.equals(given, label)
                  ? message
                  : message.replace(given, String.valueOf(label));
          Matcher list = ALL_LABELS.matcher(named);
          return list.matches()
              ? list.group("before") + withoutOurs(list.group("labels")) + list.group("after")
              : named;
        });
  }

  /**
   * The driver lists the keys of a map, which it makes for 2.5 keys a column, and fills by them.
   */
  private String withoutOurs(String labels) {
    List<String> visible = new ArrayList<>();
    try {
      ResultSetMetaData columns = delegate.getMetaData();
      for (int i = 1; i <= mask.visible(); i++) {
        visible.add(columns.getColumnLabel(mask.behind(i)).toLowerCase(Locale.ROOT));
      }
    } catch (SQLException e) {
      origin.context().fault(e);
    }
    List<String> all = keys(labels, visible);
    Set<String> others = new HashSet<>((int) (mask.visible() * 2.5));
    for (String label : visible) {
      all.stream().filter(label::equals).forEach(others::add);
      all.stream().filter(key -> key.endsWith("." + label)).forEach(others::add);
    }
    all.stream()
        .filter(key -> !ColumnMask.isOurs(key.substring(key.lastIndexOf('.') + 1)))
        .forEach(others::add);
    return String.join(", ", others);
  }

  /** The keys of a list; a label that is the text of an expression may hold a comma itself. */
  private static List<String> keys(String list, List<String> labels) {
    String comma = ", ";
    String withinLabel = "\0";
    String separated = list;
    for (String label : labels) {
      separated = separated.replace(label, label.replace(comma, withinLabel));
    }
    return Stream.of(separated.split(comma)).map(key -> key.replace(withinLabel, comma)).toList();
  }

  @Override
  public int findColumn(String label) throws SQLException {
    return mask.front(super.findColumn(label));
  }

  @Override
  public ResultSetMetaData getMetaData() throws SQLException {
    return new WatchedResultSetMetaData(delegate.getMetaData(), mask);
  }

  // ---------------------------------------------------------------- rows

  @Override
  public boolean next() throws SQLException {
    boolean onRow;
    try {
      onRow = delegate.next();
    } catch (SQLException e) {
      failed(e);
      throw e;
    }
    if (onRow) {
      record();
      note();
    } else if (recorded != null) {
      recorded.ended(delegate, mask.visible(), mask::behind);
    }
    if (!onRow && execution != null && noted == null) {
      if (execution.cached().comparesPredicates() && origin.statement().getMaxRows() == 0) {
        execution.allRowsReported();
      }
      execution.succeeded(true);
    }
    return onRow;
  }

  /** The DBMS failed in the middle of the result. */
  private void failed(SQLException error) throws SQLException {
    if (execution != null && firstAppended > 0 && !delegate.isClosed()) {
      execution.failed(error);
    }
  }

  /** Reads what the application sees of the row, before the hidden columns are read as always. */
  private void record() {
    RecordedResult into = recorded;
    if (into != null && !origin.scrollable() && into.takesRow()) {
      into.row(delegate, mask.visible(), mask::behind);
    }
  }

  private void note() {
    Execution noting = execution;
    if (noting == null || firstAppended == 0) {
      return;
    }
    if (noted != null) {
      try {
        int row = delegate.getRow();
        if (row <= 0 || noted.get(row)) {
          return;
        }
        noted.set(row);
      } catch (SQLException e) {
        origin.context().fault(e);
        return;
      }
    }
    noting.row(delegate, firstAppended);
  }

  private boolean moved(boolean onRow) {
    if (onRow) {
      note();
    }
    return onRow;
  }

  @Override
  public boolean previous() throws SQLException {
    return moved(delegate.previous());
  }

  @Override
  public boolean first() throws SQLException {
    return moved(delegate.first());
  }

  @Override
  public boolean last() throws SQLException {
    return moved(delegate.last());
  }

  @Override
  public boolean absolute(int row) throws SQLException {
    return moved(delegate.absolute(row));
  }

  @Override
  public boolean relative(int rows) throws SQLException {
    return moved(delegate.relative(rows));
  }

  @Override
  public void close() throws SQLException {
    if (recorded != null) {
      recorded.closed();
    }
    if (execution != null) {
      execution.over();
    }
    delegate.close();
  }

  /** H2's driver prints the number of columns. */
  @Override
  public String toString() {
    return delegate.toString().replace("columns: " + mask.count(), "columns: " + mask.visible());
  }
}
