package io.txwatch.oracle.troc;

import io.txwatch.oracle.troc.ChangeHistory.Version;
import io.txwatch.oracle.troc.ChangeHistory.Writer;
import io.txwatch.schedule.Values;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * The entries of an index that a transaction has changed, as H2 stores them: also those that it has
 * removed.
 *
 * @param isLive by value of the indexed column, true if the transaction's row has it
 */
record OwnKeys(Map<Object, Boolean> isLive) {

  /**
   * The entries of the index on a column.
   *
   * @param rows the versions of the table's rows
   * @param includesUnchanged true if the index has an entry for a row that the transaction only
   *     locked, or updated in other columns alone
   */
  static OwnKeys of(
      Map<Long, List<Version>> rows, Writer writer, int column, boolean includesUnchanged)
      throws SQLException {
    Map<Object, Boolean> isLive = new HashMap<>();
    for (List<Version> ofRow : rows.values()) {
      List<Version> versions = includesUnchanged ? ofRow : withOtherValue(ofRow, column);
      for (int i = 0; i < versions.size(); i++) {
        boolean isOwn = versions.get(i).writer() == writer;
        boolean isReplaced = i + 1 < versions.size() && versions.get(i + 1).writer() == writer;
        Object value = valueOf(versions.get(i).data(), column);
        if (value != null && (isOwn || isReplaced)) {
          isLive.merge(value, isOwn && i + 1 == versions.size(), Boolean::logicalOr);
        }
      }
    }
    return new OwnKeys(isLive);
  }

  /** The versions whose value in a column differs from that of the version before. */
  private static List<Version> withOtherValue(List<Version> versions, int column)
      throws SQLException {
    List<Version> found = new ArrayList<>();
    for (Version version : versions) {
      boolean isSame =
          !found.isEmpty()
              && Objects.equals(
                  valueOf(found.get(found.size() - 1).data(), column),
                  valueOf(version.data(), column));
      if (!isSame) {
        found.add(version);
      }
    }
    return found;
  }

  private static @Nullable Object valueOf(@Nullable List<@Nullable Object> row, int column)
      throws SQLException {
    return row == null ? null : Values.value(row.get(column));
  }

  /**
   * The first entry that H2's iterator returns when it reads an index from its end ({@code
   * TransactionMap.RepeatableIterator}): it merges the entries of the snapshot and these as if they
   * came in ascending order.
   */
  Optional<Object> firstBehind(List<Object> snapshot, Comparator<Object> order) {
    List<Object> before = new ArrayList<>(snapshot);
    List<Object> own = new ArrayList<>(isLive.keySet());
    before.sort(order.reversed());
    own.sort(order.reversed());
    while (!own.isEmpty()) {
      int comparison = before.isEmpty() ? 1 : order.compare(before.get(0), own.get(0));
      if (comparison < 0) {
        break;
      }
      Object key = own.remove(0);
      if (Boolean.TRUE.equals(isLive.get(key))) {
        return Optional.of(key);
      }
      if (comparison == 0) {
        before.remove(0);
      }
    }
    return before.stream().findFirst();
  }
}
