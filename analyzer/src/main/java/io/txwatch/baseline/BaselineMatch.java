package io.txwatch.baseline;

import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * Which kinds of anomalies of a run are accepted.
 *
 * @param accepted the accepted kinds, by their ids
 * @param renamed those that are accepted under the name that their operations had before, by the
 *     ids that they have now
 * @param absent the entries that accept nothing of the run
 * @param expired the entries that accept nothing any more
 */
public record BaselineMatch(
    Map<Fingerprint, AcceptedAnomaly> accepted,
    Map<Fingerprint, AcceptedAnomaly> renamed,
    List<AcceptedAnomaly> absent,
    List<AcceptedAnomaly> expired) {

  /** Without a baseline. */
  public static final BaselineMatch NONE =
      new BaselineMatch(Map.of(), Map.of(), List.of(), List.of());

  public BaselineMatch {
    accepted = Collections.unmodifiableMap(new LinkedHashMap<>(accepted));
    renamed = Collections.unmodifiableMap(new LinkedHashMap<>(renamed));
    absent = List.copyOf(absent);
    expired = List.copyOf(expired);
  }

  /** The entry that accepts a kind of the run; empty if none does. */
  public Optional<AcceptedAnomaly> accepting(Fingerprint id) {
    AcceptedAnomaly entry = accepted.get(id);
    return Optional.ofNullable(entry == null ? renamed.get(id) : entry);
  }
}
