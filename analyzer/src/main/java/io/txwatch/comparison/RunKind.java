package io.txwatch.comparison;

import io.txwatch.baseline.Fingerprint;

/**
 * A kind of anomaly as a run has it.
 *
 * @param id its id
 * @param title what it is: {@code LOST_UPDATE of BankService.withdraw on account}
 * @param count how often it occurred
 * @param json an anomaly of the kind, as reports have it in JSON
 */
public record RunKind(Fingerprint id, String title, long count, String json) {

  /** This kind with the occurrences of another of the same id. */
  public RunKind plus(RunKind other) {
    return new RunKind(id, title, count + other.count, json);
  }
}
