package io.txwatch.baseline;

import java.time.LocalDate;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
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

  /** The entry that accepts a kind of anomaly on a day, by its id. */
  public Optional<AcceptedAnomaly> accepting(Fingerprint id, LocalDate today) {
    return entries.stream()
        .filter(entry -> entry.id().equals(id) && !entry.isExpired(today))
        .findFirst();
  }

  /**
   * Compares a finished run with the baseline. A kind whose id is not in the baseline is accepted,
   * too, if its operations were renamed: if it alone of the run has the phenomenon and the
   * statements of an entry that the run does not contain, and that entry alone has them.
   *
   * @param found the ids of the kinds that the run contains
   */
  public BaselineMatch match(Collection<Fingerprint> found, LocalDate today) {
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
    Map<Fingerprint, AcceptedAnomaly> renamed = new LinkedHashMap<>();
    for (Fingerprint id : others) {
      List<AcceptedAnomaly> before =
          absent.stream().filter(entry -> entry.id().hasStatementsOf(id)).toList();
      if (before.size() == 1 && others.stream().filter(id::hasStatementsOf).count() == 1) {
        renamed.put(id, before.get(0));
      }
    }
    absent.removeAll(renamed.values());
    return new BaselineMatch(accepted, renamed, absent, expired);
  }
}
