package io.txwatch.guarantee;

import io.txwatch.anomaly.AdyaLevel;
import io.txwatch.anomaly.Finding;
import io.txwatch.anomaly.Phenomenon;
import io.txwatch.history.Database;
import io.txwatch.history.IsolationLevel;
import io.txwatch.rules.Promise;
import io.txwatch.rules.registry.RulesRegistry;
import java.util.EnumSet;
import java.util.Set;

/**
 * What a DBMS promises at one level: the phenomena that its documentation states do not occur.
 * Where the documentation is silent or vague there is no promise.
 *
 * @param prevents what does not occur
 * @param plainReads what does not occur as long as all reads are plain SELECTs
 * @param statementSnapshot whether all rows of one plain SELECT are of one point in time
 * @param source where the documentation states this
 */
public record Guarantee(
    Set<Phenomenon> prevents,
    Set<Phenomenon> plainReads,
    boolean statementSnapshot,
    String source) {

  /** No level prevents a stale write: it has a serial order. */
  private static final Set<Phenomenon> ALL = Phenomenon.proscribedAt(AdyaLevel.PL_SS);

  private static final Set<Phenomenon> G0 = Phenomenon.proscribedAt(AdyaLevel.PL_1);
  private static final Set<Phenomenon> G1 = Phenomenon.proscribedAt(AdyaLevel.PL_2);
  private static final Set<Phenomenon> READS =
      EnumSet.of(
          Phenomenon.NON_REPEATABLE_READ,
          Phenomenon.PHANTOM,
          Phenomenon.READ_SKEW,
          Phenomenon.FRACTURED_READ);
  private static final Set<Phenomenon> NOT_IN_SNAPSHOT =
      EnumSet.complementOf(
          EnumSet.of(
              Phenomenon.WRITE_SKEW,
              Phenomenon.G2_ITEM,
              Phenomenon.G2,
              Phenomenon.STALE_WRITE,
              Phenomenon.STALE_READ,
              Phenomenon.DEADLOCK));

  /** What no cycle of snapshot isolation breaks, no matter which DBMS promises it. */
  static final Guarantee SNAPSHOT_ISOLATION = of(Promise.Kind.SNAPSHOT.by(""));

  private static Guarantee of(Promise promise) {
    Set<Phenomenon> none = Set.of();
    String source = promise.source();
    return switch (promise.kind()) {
      case NONE -> new Guarantee(none, none, false, source);
      case DIRTY -> new Guarantee(G0, none, false, source);
      case COMMITTED -> new Guarantee(G1, none, false, source);
      case COMMITTED_BY_STATEMENT -> new Guarantee(G1, none, true, source);
      case REPEATABLE ->
          new Guarantee(G1, EnumSet.of(Phenomenon.NON_REPEATABLE_READ), false, source);
      case CONSISTENT_READS -> new Guarantee(G1, READS, true, source);
      case SNAPSHOT_READS -> {
        Set<Phenomenon> prevents = EnumSet.copyOf(G1);
        prevents.addAll(READS);
        yield new Guarantee(prevents, none, true, source);
      }
      case SNAPSHOT -> new Guarantee(NOT_IN_SNAPSHOT, none, true, source);
      case SERIALIZABLE -> new Guarantee(ALL, none, true, source);
    };
  }

  /** The guarantee of a DBMS at a level, by its documentation, version and settings. */
  public static Guarantee of(Database database, IsolationLevel level) {
    return of(RulesRegistry.of(database.product()).promise(level, database));
  }

  /**
   * True if the phenomenon does not occur.
   *
   * @param readsPlainly true if all of its reads are plain SELECTs
   */
  public boolean rulesOut(Phenomenon phenomenon, boolean readsPlainly) {
    return prevents.contains(phenomenon) || readsPlainly && plainReads.contains(phenomenon);
  }

  /** Whether a finding breaks this promise. */
  public boolean isBrokenBy(Finding finding) {
    return prevents.contains(finding.judgedAs())
        || finding.plainReadsOnly()
            && (plainReads.contains(finding.phenomenon())
                || statementSnapshot
                    && READS.contains(finding.phenomenon())
                    && finding.withinOneStatement());
  }
}
