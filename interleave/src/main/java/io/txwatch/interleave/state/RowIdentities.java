package io.txwatch.interleave.state;

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
 * @param known the values of a domain that rows had at first, which keep their meaning
 */
record RowIdentities(Map<String, Map<Integer, String>> domains, Map<String, Set<String>> known) {

  static final RowIdentities NONE = new RowIdentities(Map.of(), Map.of());

  RowIdentities {
    domains = Map.copyOf(domains);
    known = Map.copyOf(known);
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
