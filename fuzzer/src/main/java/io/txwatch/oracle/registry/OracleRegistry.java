package io.txwatch.oracle.registry;

import io.txwatch.guarantee.Judge;
import io.txwatch.oracle.IsoRel;
import io.txwatch.oracle.Oracle;
import io.txwatch.oracle.OracleKind;
import io.txwatch.oracle.WriteCheck;
import io.txwatch.oracle.aptrans.ApTrans;
import io.txwatch.oracle.log.LogCheck;
import io.txwatch.oracle.troc.Troc;
import io.txwatch.oracle.txcheck.TxCheck;

/** The oracle of each kind. */
public final class OracleRegistry {

  private OracleRegistry() {}

  /**
   * Creates an oracle.
   *
   * @param judge the standard that those apply to levels which {@linkplain OracleKind#judgesLevels
   *     judge them}
   */
  public static Oracle create(OracleKind kind, Judge judge) {
    return switch (kind) {
      case WRITECHECK -> new WriteCheck();
      case TROC -> new Troc();
      case ISOREL -> new IsoRel(judge);
      case APTRANS -> new ApTrans(judge);
      case TXCHECK -> new TxCheck();
      case LOG -> new LogCheck();
    };
  }
}
