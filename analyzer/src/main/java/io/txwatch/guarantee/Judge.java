package io.txwatch.guarantee;

import io.txwatch.anomaly.AdyaLevel;
import io.txwatch.anomaly.Finding;
import io.txwatch.anomaly.Verdict;
import io.txwatch.history.Database;
import java.util.Locale;

/** What a level is held to. */
public enum Judge {
  /** The DBMS's own promise, by its documentation, version and settings. */
  DBMS {
    @Override
    public Verdict judge(Finding finding, Database database) {
      Guarantee guarantee = Profile.of(database).at(finding.level(), database);
      return guarantee.isBrokenBy(finding) ? Verdict.VIOLATION : Verdict.HAZARD;
    }
  },
  /** Adya's levels, whatever the vendor says. */
  ADYA {
    @Override
    public Verdict judge(Finding finding, Database database) {
      AdyaLevel held = AdyaLevel.of(finding.level());
      return held.compareTo(finding.phenomenon().proscribedFrom()) >= 0
          ? Verdict.VIOLATION
          : Verdict.HAZARD;
    }
  };

  /** Whose fault a finding is. */
  public abstract Verdict judge(Finding finding, Database database);

  /** The judge of that name, as users type it. */
  public static Judge named(String name) {
    return valueOf(name.strip().toUpperCase(Locale.ROOT));
  }
}
