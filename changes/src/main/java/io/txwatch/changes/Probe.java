package io.txwatch.changes;

import java.util.List;

/**
 * What a source finds when it examines a DBMS before it starts.
 *
 * @param missing what must be changed before changes can be read, and how, in one line; empty if
 *     nothing
 * @param limits what will be read less exactly with the present settings, one line each
 */
public record Probe(String missing, List<String> limits) {

  /** A result of an immutable list. */
  public Probe {
    limits = List.copyOf(limits);
  }

  /** True if changes can be read. */
  public boolean isReadable() {
    return missing.isEmpty();
  }
}
