package io.txwatch.oracle.troc;

import io.txwatch.schedule.Values;
import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/**
 * Compares results as bags of rows.
 *
 * @param isCaseInsensitive true if the DBMS's collation treats 'a' and 'A' as equal: which of them
 *     a group shows is undefined
 */
record ResultBags(boolean isCaseInsensitive) {

  boolean areEqual(List<List<@Nullable Object>> rows, List<List<@Nullable Object>> others) {
    return bag(rows).equals(bag(others));
  }

  private List<String> bag(List<List<@Nullable Object>> rows) {
    List<String> bag = Values.bag(rows);
    return isCaseInsensitive
        ? bag.stream().map(line -> line.toLowerCase(Locale.ROOT)).sorted().toList()
        : bag;
  }
}
