package io.txwatch.interleave.state;

import java.util.BitSet;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;

/**
 * Which columns hold values that identify rows: keys, and the foreign keys that refer to them.
 * Where such values are generated, they differ from execution to execution, and only where they
 * recur matters.
 *
 * @param domains the domain of such a column, by table and column from 0: the key that its values
 *     come from
 * @param known the values of a domain that rows had at first, and have after each reset: they keep
 *     their meaning
 */
public record RowIdentities(
    Map<String, Map<Integer, String>> domains, Map<String, Set<String>> known) {

  /** Of no tables. */
  public static final RowIdentities NONE = new RowIdentities(Map.of(), Map.of());

  public RowIdentities {
    domains = Map.copyOf(domains);
    known = Map.copyOf(known);
  }

  /** The columns, from 0, of a table that hold such values. */
  public BitSet columns(String table) {
    BitSet columns = new BitSet();
    domains.getOrDefault(table, Map.of()).keySet().forEach(columns::set);
    return columns;
  }

  /** Those of two databases, of which the other one's tables and domains get a prefix. */
  RowIdentities with(String prefix, RowIdentities other) {
    Map<String, Map<Integer, String>> allDomains = new TreeMap<>(domains);
    other.domains.forEach(
        (table, columns) -> {
          Map<Integer, String> prefixed = new LinkedHashMap<>();
          columns.forEach((column, domain) -> prefixed.put(column, prefix + domain));
          allDomains.put(prefix + table, prefixed);
        });
    Map<String, Set<String>> allKnown = new TreeMap<>(known);
    other.known.forEach((domain, values) -> allKnown.put(prefix + domain, new TreeSet<>(values)));
    return new RowIdentities(allDomains, allKnown);
  }
}
