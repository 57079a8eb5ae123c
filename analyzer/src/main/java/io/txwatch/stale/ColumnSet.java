package io.txwatch.stale;

import io.txwatch.history.AccessedColumns.Columns;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/**
 * A set of columns of one table.
 *
 * @param isComplement whether it has all columns except the named ones
 * @param names the columns that it has, or lacks
 */
record ColumnSet(boolean isComplement, Set<String> names) {

  static final ColumnSet ALL = new ColumnSet(true, Set.of());
  static final ColumnSet NONE = new ColumnSet(false, Set.of());

  static ColumnSet of(Columns columns) {
    return columns.all() ? ALL : new ColumnSet(false, Set.copyOf(columns.names()));
  }

  ColumnSet intersection(ColumnSet other) {
    if (isComplement && other.isComplement) {
      return new ColumnSet(true, union(names, other.names));
    }
    Set<String> kept = new HashSet<>(isComplement ? other.names : names);
    kept.removeIf(name -> !contains(name) || !other.contains(name));
    return new ColumnSet(false, Set.copyOf(kept));
  }

  ColumnSet minus(ColumnSet other) {
    return intersection(other.complement());
  }

  ColumnSet plus(ColumnSet other) {
    return complement().minus(other).complement();
  }

  private ColumnSet complement() {
    return new ColumnSet(!isComplement, names);
  }

  private boolean contains(String name) {
    return names.contains(name) != isComplement;
  }

  private static Set<String> union(Set<String> one, Set<String> other) {
    Set<String> both = new HashSet<>(one);
    both.addAll(other);
    return Set.copyOf(both);
  }

  boolean isEmpty() {
    return !isComplement && names.isEmpty();
  }

  boolean meets(ColumnSet other) {
    return !intersection(other).isEmpty();
  }

  /** The columns in alphabetical order; empty if they are all, or all but some. */
  List<String> sorted() {
    return isComplement ? List.of() : names.stream().sorted().toList();
  }
}
