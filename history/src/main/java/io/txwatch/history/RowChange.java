package io.txwatch.history;

import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * One change of a row, as the DBMS itself recorded it.
 *
 * @param access {@link Access#INSERT}, {@link Access#UPDATE} or {@link Access#DELETE}
 * @param table the table's name, as in {@link RowAccess}
 * @param columns the names of the table's columns, as the DBMS stores them
 * @param keyBefore the hash of the primary key before the change, 0 for an INSERT and if the table
 *     has no key ({@link ValueHash#ofKey})
 * @param keyAfter the hash of the primary key after it, 0 for a DELETE and if the table has no key
 * @param before the hashes of the values before it, in the order of {@code columns}, empty for an
 *     INSERT; {@link ValueHash#UNKNOWN} where the record has no value, or none that can be compared
 * @param after the hashes of the values after it, likewise; empty for a DELETE
 * @param group changes of one statement have the same number; numbers ascend within a transaction
 *     in the order of execution
 * @param plainBefore the values themselves before the change, in the order of {@code columns}, for
 *     {@linkplain RowCondition conditions}: null is NULL, {@link #WITHHELD} one that cannot be
 *     compared. Empty if they are not known. They stay in the process: no history contains them
 * @param plainAfter those after it, likewise
 */
public record RowChange(
    Access access,
    String table,
    List<String> columns,
    long keyBefore,
    long keyAfter,
    int[] before,
    int[] after,
    int group,
    @Nullable Object[] plainBefore,
    @Nullable Object[] plainAfter) {

  /** Stands for a value that is not known, or that conditions do not compare. */
  public static final Object WITHHELD =
      new Object() {
        @Override
        public String toString() {
          return "withheld";
        }
      };

  private static final @Nullable Object[] NOT_KNOWN = {};

  public RowChange {
    columns = List.copyOf(columns);
  }

  /** A change of which only the hashes of the values are known. */
  public RowChange(
      Access access,
      String table,
      List<String> columns,
      long keyBefore,
      long keyAfter,
      int[] before,
      int[] after,
      int group) {
    this(access, table, columns, keyBefore, keyAfter, before, after, group, NOT_KNOWN, NOT_KNOWN);
  }

  @Override
  public boolean equals(@org.jspecify.annotations.Nullable Object other) {
    return other instanceof RowChange change
        && access == change.access
        && table.equals(change.table)
        && columns.equals(change.columns)
        && keyBefore == change.keyBefore
        && keyAfter == change.keyAfter
        && Arrays.equals(before, change.before)
        && Arrays.equals(after, change.after)
        && group == change.group;
  }

  @Override
  public int hashCode() {
    return 31 * (31 * table.hashCode() + Long.hashCode(keyBefore)) + Long.hashCode(keyAfter);
  }

  @Override
  public String toString() {
    return "RowChange[" + access + " " + table + " " + keyBefore + "->" + keyAfter + "]";
  }
}
