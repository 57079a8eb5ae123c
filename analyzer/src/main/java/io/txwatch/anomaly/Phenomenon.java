package io.txwatch.anomaly;

import java.util.Arrays;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;

/**
 * The named phenomena. Reports print the constant's name: {@code LOST_UPDATE}.
 *
 * <p>T1 is the transaction that the phenomenon happens to. "Through row x" names the row of an
 * edge; an edge's own ends are committed transactions.
 */
public enum Phenomenon {
  /** Two transactions' writes are interleaved. */
  DIRTY_WRITE(
      "dirty write",
      "A cycle of ww edges: of two transactions each overwrote the other.",
      "Berenson et al. 1995, P0; Adya 1999, G0",
      AdyaLevel.PL_1,
      Form.CYCLE,
      ""),
  /** A read of what was rolled back. */
  ABORTED_READ(
      "aborted read",
      "A committed transaction read a version whose writer aborted, or that its writer undid.",
      "Adya 1999, G1a; Berenson et al. 1995, A1",
      AdyaLevel.PL_2,
      Form.WRONG_READ,
      "G1a"),
  /** A read of what its writer replaced. */
  INTERMEDIATE_READ(
      "intermediate read",
      "A committed transaction read a version that is not its writer's last of that row.",
      "Adya 1999, G1b",
      AdyaLevel.PL_2,
      Form.WRONG_READ,
      "G1b"),
  /** Each read or overwrote what the other wrote. */
  CIRCULAR_INFORMATION_FLOW(
      "circular information flow",
      "A cycle of ww and wr edges with one wr edge at least.",
      "Adya 1999, G1c",
      AdyaLevel.PL_2,
      Form.CYCLE,
      ""),
  /** A row contradicts the order of a transaction's own statements. */
  INTERNAL(
      "internal inconsistency",
      "T1 wrote a row, and a later statement of T1 read an older version of it; or an earlier"
          + " statement of T1 read that write; or two writes of T1 took effect in the other order.",
      "Kingsbury and Alvaro 2020 (Elle), internal; Adya 1999, §3.1",
      AdyaLevel.PL_1,
      Form.WRONG_READ,
      "internal"),
  /** A read of a value that no transaction wrote. */
  GARBAGE_READ(
      "garbage read",
      "A committed transaction read a value that no transaction of the history wrote.",
      "Kingsbury and Alvaro 2020 (Elle), garbage reads; Huang et al. 2024 (Plume), thin-air reads",
      AdyaLevel.PL_1,
      Form.WRONG_READ,
      ""),
  /** One write that took effect twice. */
  DUPLICATE_WRITE(
      "duplicate write",
      "One write has two places in the order of versions: an element that was appended once stands in"
          + " a list twice.",
      "Kingsbury and Alvaro 2020 (Elle), duplicate writes",
      AdyaLevel.PL_1,
      Form.NO_CYCLE,
      "duplicate-elements"),
  /** Two orders of one row's versions. */
  INCOMPATIBLE_ORDER(
      "incompatible order",
      "Two reads of a row show its versions in orders of which neither begins the other: one of"
          + " them saw what is in no committed order.",
      "Kingsbury and Alvaro 2020 (Elle), incompatible orders",
      AdyaLevel.PL_2,
      Form.NO_CYCLE,
      "incompatible-order"),
  /** A write based on a version that another transaction had replaced. */
  LOST_UPDATE(
      "lost update",
      "T1 read row x, others wrote x, and T1 wrote x over that without having read it again: one rw"
          + " edge out of T1 and ww edges back to it, all through x. Or: two transactions wrote the"
          + " next version of one and the same version.",
      "Berenson et al. 1995, P4; IsoRel 2025, §2.4",
      AdyaLevel.PL_2_99,
      Form.CYCLE,
      "lost-update"),
  /** A decision based on one row and a write of another, both changed by T2. */
  READ_WRITE_SKEW(
      "read-write skew",
      "Two transactions: rw through x, ww through another row back.",
      "IsoRel 2025, §2.4, after Li et al.",
      AdyaLevel.PL_2_99,
      Form.CYCLE,
      ""),
  /** One row from before T2, another from after it. */
  READ_SKEW(
      "read skew",
      "Two transactions: T1 read x, T2 wrote x and y, and a later statement of T1 saw T2's y.",
      "Berenson et al. 1995, A5A",
      AdyaLevel.PL_2_99,
      Form.CYCLE_OF_READER,
      ""),
  /** T2's effects were read in part. */
  FRACTURED_READ(
      "fractured read",
      "As read skew, but T1 saw the new y before it saw the old x, or in the same statement.",
      "Bailis et al. 2014 (RAMP), fractured reads",
      AdyaLevel.PL_2_99,
      Form.CYCLE_OF_READER,
      ""),
  /** Two reads of one row saw different versions. */
  NON_REPEATABLE_READ(
      "non-repeatable read",
      "One rw edge out of T1 and a wr edge back into it, all through the same row.",
      "Berenson et al. 1995, P2 and A2",
      AdyaLevel.PL_2_99,
      Form.CYCLE_OF_READER,
      ""),
  /** A predicate matched other rows the second time. */
  PHANTOM(
      "phantom",
      "T1 read by a predicate, T2 changed what it matches (by a row inserted, changed or deleted),"
          + " and a later statement of T1 saw that change of that row: one edge by predicate at"
          + " least, of an rw edge out of T1 and a wr edge back into it.",
      "Berenson et al. 1995, P3 and A3; Adya 1999, section 4.3",
      AdyaLevel.PL_3,
      Form.CYCLE_OF_READER,
      ""),
  /** Each read what the other then wrote. */
  WRITE_SKEW(
      "write skew",
      "Two transactions and two rw edges through different rows.",
      "Berenson et al. 1995, A5B",
      AdyaLevel.PL_2_99,
      Form.CYCLE,
      ""),
  /** Two readers saw two writers in opposite orders. */
  LONG_FORK(
      "long fork",
      "Four transactions: rw, wr, rw, wr.",
      "Sovran et al. 2011 (parallel snapshot isolation)",
      AdyaLevel.PL_2_99,
      Form.CYCLE,
      ""),
  /** A cycle of one rw edge and more than one other, of no special name. */
  G_SINGLE(
      "G-single",
      "A cycle with exactly one rw edge.",
      "Adya 1999, §4.2",
      AdyaLevel.PL_2_99,
      Form.CYCLE,
      ""),
  /** A cycle with rw edges, no two adjacent, of no special name. */
  G_NONADJACENT(
      "G-nonadjacent",
      "A cycle with two rw edges or more, no two of them next to each other.",
      "Elle, after Cerone and Gotsman 2016",
      AdyaLevel.PL_2_99,
      Form.CYCLE,
      ""),
  /** A cycle with two adjacent rw edges or more, of no special name. */
  G2_ITEM(
      "G2-item",
      "A cycle with rw edges, all by item.",
      "Adya 1999, §4.1",
      AdyaLevel.PL_2_99,
      Form.CYCLE,
      ""),
  /** A later transaction missed an earlier one, or was ordered before it. */
  TRANSACTION_INVERSION(
      "transaction inversion",
      "A cycle that is one only by the order of a session's transactions, or by real time: one that"
          + " came later missed, or was overtaken by, what had been committed before. Its class is"
          + " that of its other edges, -process or -realtime.",
      "Daudjee and Salem 2006; Kingsbury and Alvaro 2020 (Elle), -process and -realtime",
      AdyaLevel.PL_SS,
      Form.CYCLE,
      ""),
  /** A cycle with two adjacent rw edges or more, one at least by predicate. */
  G2(
      "G2",
      "A cycle with rw edges, two of them adjacent, one at least by predicate: write skew on what"
          + " predicates match, if there are two transactions.",
      "Adya 1999, section 4.3",
      AdyaLevel.PL_3,
      Form.CYCLE,
      ""),
  /** A lost update that no transaction contains. */
  STALE_WRITE(
      "stale write",
      "T1 read row x, T2 wrote x after that, and T3, a later transaction of T1's trace or session,"
          + " wrote x over that without having read it again or compared what T2 had changed. A"
          + " serial order explains it: T1, T2, T3.",
      "Fowler 2002 (Patterns of Enterprise Application Architecture), Optimistic Offline Lock",
      AdyaLevel.NONE,
      Form.NO_CYCLE,
      ""),
  /** A read on a standby that goes back in time. */
  STALE_READ(
      "stale read",
      "T2 read row x on a standby, after T1, an earlier transaction of T2's trace, had committed. The"
          + " version that T2 read is older than the one that T1 had written or read: T1 is missing"
          + " from what T2 saw, or what T1 had seen is. A serial order explains it: T2, T1.",
      "Terry et al. 1994 (Session Guarantees for Weakly Consistent Replicated Data): read your"
          + " writes, monotonic reads",
      AdyaLevel.NONE,
      Form.NO_CYCLE,
      ""),
  /** Transactions that waited for each other's locks. */
  DEADLOCK(
      "deadlock",
      "T1 waited for a lock that T2 held while T2 waited, directly or through others, for a lock"
          + " that T1 held, until the DBMS rolled T1 back.",
      "Coffman, Elphick and Shoshani 1971 (System Deadlocks), circular wait",
      AdyaLevel.NONE,
      Form.NO_CYCLE,
      "");

  private final String term;
  private final String definition;
  private final String source;
  private final AdyaLevel proscribedFrom;
  private final Form form;
  private final String elleName;

  /** What a finding of a phenomenon consists of, and whom it affects. */
  public enum Form {
    /** One read that is wrong, whatever else happened; it affects the reader. */
    WRONG_READ(false),
    /** Dependencies that form no cycle; they affect each transaction. */
    NO_CYCLE(false),
    /** A cycle that shows its first transaction two states; it affects that transaction. */
    CYCLE_OF_READER(true),
    /** A cycle that affects each of its transactions. */
    CYCLE(true);

    private final boolean isCycle;

    Form(boolean isCycle) {
      this.isCycle = isCycle;
    }
  }

  /**
   * A phenomenon.
   *
   * @param elleName Elle's name for it; empty if Elle has none but that of the cycle's class
   */
  Phenomenon(
      String term,
      String definition,
      String source,
      AdyaLevel proscribedFrom,
      Form form,
      String elleName) {
    this.term = term;
    this.definition = definition;
    this.source = source;
    this.proscribedFrom = proscribedFrom;
    this.form = form;
    this.elleName = elleName;
  }

  /** Those that a level of Adya's proscribes. */
  public static Set<Phenomenon> proscribedAt(AdyaLevel level) {
    return Arrays.stream(values())
        .filter(phenomenon -> phenomenon.proscribedFrom.compareTo(level) <= 0)
        .collect(Collectors.toUnmodifiableSet());
  }

  /** The standard term. */
  public String term() {
    return term;
  }

  /** Its definition. */
  public String definition() {
    return definition;
  }

  /** The source of the definition. */
  public String source() {
    return source;
  }

  /** The weakest of Adya's levels that proscribes it; stronger levels do, too. */
  public AdyaLevel proscribedFrom() {
    return proscribedFrom;
  }

  /** What a finding of it consists of, and whom it affects. */
  public Form form() {
    return form;
  }

  /** Whether its dependencies form a cycle. */
  public boolean isCycle() {
    return form.isCycle;
  }

  /** Elle's name for it; empty if Elle has none but that of the cycle's class. */
  public Optional<String> elleName() {
    return elleName.isEmpty() ? Optional.empty() : Optional.of(elleName);
  }
}
