package io.txwatch.comparison;

import io.txwatch.baseline.Fingerprint;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalDouble;

/**
 * What a run found.
 *
 * @param name the name of its file
 * @param kinds the kinds of anomalies, by id
 * @param traffic how much it observed; empty if its file does not state it
 */
public record ObservedRun(String name, Map<Fingerprint, RunKind> kinds, Optional<Traffic> traffic) {

  private static final double THOUSAND = 1000;

  public ObservedRun {
    kinds = Collections.unmodifiableMap(new LinkedHashMap<>(kinds));
  }

  /** How often a kind occurred. */
  public long count(Fingerprint id) {
    RunKind kind = kinds.get(id);
    return kind == null ? 0 : kind.count();
  }

  /** How often a kind occurred in a thousand transactions; empty if their number is not known. */
  public OptionalDouble perThousand(Fingerprint id) {
    return traffic.isEmpty() || traffic.get().transactions() == 0
        ? OptionalDouble.empty()
        : OptionalDouble.of(THOUSAND * count(id) / traffic.get().transactions());
  }
}
