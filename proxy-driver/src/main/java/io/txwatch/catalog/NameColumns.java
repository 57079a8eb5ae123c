package io.txwatch.catalog;

import io.txwatch.plan.KeyColumn;
import io.txwatch.plan.KeyColumn.Kind;
import java.util.Collection;
import java.util.List;
import java.util.Locale;
import java.util.Optional;

/**
 * The columns of the key that reports name rows by, from the types of a DBMS. A column whose text
 * may differ between two sessions, or whose values are no exact ones, is of no kind; neither is a
 * key with such a column.
 */
public final class NameColumns {

  private NameColumns() {}

  /** The columns of a key; none if one of them is of no kind. */
  public static List<KeyColumn> known(Collection<Optional<KeyColumn>> key) {
    return key.stream().allMatch(Optional::isPresent)
        ? key.stream().flatMap(Optional::stream).toList()
        : List.of();
  }

  /** A column of the key, by its stored name. */
  public static KeyColumn column(String name, Kind kind, boolean comparesExactly) {
    return new KeyColumn(name.toLowerCase(Locale.ROOT), kind, comparesExactly);
  }
}
