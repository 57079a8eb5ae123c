package io.txwatch.plan;

import io.txwatch.plan.RewritePlan.Returns;
import java.util.List;
import java.util.Optional;

/**
 * How the rows that a statement reads and writes are observed.
 *
 * @param returns how the rewritten statement returns rows
 * @param appended the tables whose {@code txw_rid, txw_wl} were appended, a pair each, at the end
 *     of the select list or the RETURNING list, in this order
 * @param carried what the rows of its result carry besides, behind the columns of {@code appended}
 * @param sideReads reads of ours that are sent beside the statement, on the same connection, in
 *     this order; empty at level {@code inline}
 * @param newRows the rows that an INSERT gives ids; what becomes of them
 * @param keys what it has to do with rows that are known by a key
 * @param names how reports can name the rows that it returns
 * @param values what it states itself of its rows, if versions are known by value
 */
public record ObservedRows(
    Returns returns,
    List<String> appended,
    Carried carried,
    List<SideRead> sideReads,
    Optional<NewRows> newRows,
    KeyedRow keys,
    RowNaming.OfStatement names,
    Optional<ValuePlan> values) {

  /** By what is appended and read besides. */
  public ObservedRows(
      Returns returns,
      List<String> appended,
      Carried carried,
      List<SideRead> sideReads,
      Optional<NewRows> newRows,
      KeyedRow keys,
      RowNaming.OfStatement names) {
    this(returns, appended, carried, sideReads, newRows, keys, names, Optional.empty());
  }

  /** By their values alone. */
  static ObservedRows byValue(KeyedRow keys, ValuePlan values) {
    return new ObservedRows(
        Returns.NOTHING,
        List.of(),
        Carried.NONE,
        List.of(),
        Optional.empty(),
        keys,
        RowNaming.OfStatement.NONE,
        Optional.of(values));
  }

  /** They are not. */
  static ObservedRows none(KeyedRow keys) {
    return new ObservedRows(
        Returns.NOTHING,
        List.of(),
        Carried.NONE,
        List.of(),
        Optional.empty(),
        keys,
        RowNaming.OfStatement.NONE);
  }
}
