package io.txwatch.baseline;

import java.time.LocalDate;
import java.util.Optional;

/**
 * A kind of anomaly that a project accepts.
 *
 * @param id which kind
 * @param reason why it is accepted; never empty
 * @param who the person who accepted it; empty if not stated
 * @param until the last day on which it is accepted; empty if there is none
 * @param what what it is, for people: {@code LOST_UPDATE of BankService.withdraw on account}; may
 *     be empty
 */
public record AcceptedAnomaly(
    Fingerprint id, String reason, String who, Optional<LocalDate> until, String what) {

  public AcceptedAnomaly {
    if (reason.isBlank()) {
      throw new IllegalArgumentException("an accepted anomaly needs a reason");
    }
  }

  /** Whether it is no longer accepted today. */
  public boolean isExpired() {
    return isExpired(Baseline.today());
  }

  boolean isExpired(LocalDate today) {
    return until.isPresent() && until.get().isBefore(today);
  }
}
