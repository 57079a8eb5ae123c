package io.txwatch.baseline;

import java.time.LocalDate;
import java.time.ZoneId;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;

/**
 * The kinds of anomalies that a project accepts.
 *
 * @param entries in the order of the file, with different ids
 */
public record Baseline(List<AcceptedAnomaly> entries) {

  /** Nothing is accepted. */
  public static final Baseline NONE = new Baseline(List.of());

  public Baseline {
    entries = List.copyOf(entries);
  }

  /** The entry that accepts a kind of anomaly today, by its id. */
  public Optional<AcceptedAnomaly> accepting(Fingerprint id) {
    return accepting(id, today());
  }

  /** Compares what a run has found so far with the baseline, as of today. */
  public BaselineMatch match(Collection<Fingerprint> found) {
    return match(found, today());
  }

  static LocalDate today() {
    return LocalDate.now(ZoneId.systemDefault());
  }

  /** The entry that accepts a kind of anomaly on a day, by its id. */
  Optional<AcceptedAnomaly> accepting(Fingerprint id, LocalDate today) {
    return entries.stream()
        .filter(entry -> entry.id().equals(id) && !entry.isExpired(today))
        .findFirst();
  }

  /**
   * Compares a finished run with the baseline. A kind whose id is not in the baseline is accepted,
   * too, if its operations were {@linkplain Fingerprint#renamed renamed}.
   *
   * @param found the ids of the kinds that the run contains
   */
  BaselineMatch match(Collection<Fingerprint> found, LocalDate today) {
    Map<Fingerprint, AcceptedAnomaly> accepted = new LinkedHashMap<>();
    Set<Fingerprint> others = new LinkedHashSet<>(found);
    List<AcceptedAnomaly> expired = new ArrayList<>();
    List<AcceptedAnomaly> absent = new ArrayList<>();
    for (AcceptedAnomaly entry : entries) {
      if (entry.isExpired(today)) {
        expired.add(entry);
      } else if (others.remove(entry.id())) {
        accepted.put(entry.id(), entry);
      } else {
        absent.add(entry);
      }
    }
    Map<Fingerprint, AcceptedAnomaly> absentById = new LinkedHashMap<>();
    absent.forEach(entry -> absentById.put(entry.id(), entry));
    Map<Fingerprint, AcceptedAnomaly> renamed = new LinkedHashMap<>();
    Fingerprint.renamed(absentById.keySet(), others)
        .forEach((id, before) -> renamed.put(id, Objects.requireNonNull(absentById.get(before))));
    absent.removeAll(renamed.values());
    return new BaselineMatch(accepted, renamed, absent, expired);
  }
}
