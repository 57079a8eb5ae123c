package io.txwatch.guarantee;

import io.txwatch.anomaly.AdyaLevel;
import io.txwatch.anomaly.Finding;
import io.txwatch.anomaly.Verdict;
import io.txwatch.history.Database;
import io.txwatch.history.IsolationLevel;
import java.util.Locale;

public enum Judge {
  /** The DBMS's own promise, by its documentation, version and settings. */
  DBMS {
    @Override
    public Verdict judge(Finding finding, Database database) {
      if (!finding.level().isKnown()) {
        return Verdict.HAZARD;
      }
      Guarantee guarantee = Guarantee.of(database, finding.level());
      return guarantee.isBrokenBy(finding) ? Verdict.VIOLATION : Verdict.HAZARD;
    }
  },
  /**
   * Adya's levels, whatever the vendor promises. Snapshot isolation, which is not among them, is
   * held to its own definition: no cycle but one with two adjacent rw edges (Adya, section 4.3,
   * PL-SI; Cerone and Gotsman 2016, theorem 4.1).
   */
  ADYA {
    @Override
    public Verdict judge(Finding finding, Database database) {
      if (!finding.level().isKnown()) {
        return Verdict.HAZARD;
      }
      AdyaLevel held = AdyaLevel.of(finding.level());
      AdyaLevel proscribedFrom =
          finding.missesByPredicate() ? AdyaLevel.PL_3 : finding.judgedAs().proscribedFrom();
      return held.compareTo(proscribedFrom) >= 0
              || finding.level() == IsolationLevel.SNAPSHOT
                  && Guarantee.SNAPSHOT_ISOLATION.isBrokenBy(finding)
          ? Verdict.VIOLATION
          : Verdict.HAZARD;
    }
  };

  public abstract Verdict judge(Finding finding, Database database);

  /** The judge with that name, as users type it. */
  public static Judge named(String name) {
    return valueOf(name.strip().toUpperCase(Locale.ROOT));
  }
}
