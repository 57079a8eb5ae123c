package io.txwatch.dependency;

import java.util.ArrayList;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;

/** The predicate dependencies of one transaction, as far as they are known. */
final class PredicateLinks {

  /** The kinds of links: possible ones, through a first row and through another. */
  static final int POSSIBLE_RW = 1;

  static final int POSSIBLE_WR = 4;
  static final int PROVEN_RW = 16;
  static final int PROVEN_WR = 64;

  /**
   * A dependency that waits for the ends of its transactions.
   *
   * @param version the version that the writer among the two must have made for good
   */
  record Waiting(
      Transaction from,
      Transaction to,
      DependencyKind kind,
      Version version,
      int fromStatement,
      int toStatement,
      EdgeEvidence evidence) {}

  private final Transaction owner;

  /** Which dependencies to which transactions are told, or wait. */
  private final Map<Transaction, Integer> linked = new IdentityHashMap<>();

  final List<Waiting> waiting = new ArrayList<>(0);

  /** The tables in which its first reading is known. */
  final List<Table> tables = new ArrayList<>(1);

  PredicateLinks(Transaction owner) {
    this.owner = owner;
    owner.addWeight(Footprint.LINKS);
  }

  /** Notes a link; false if it was there. */
  boolean link(Transaction other, int link) {
    int known = linked.getOrDefault(other, 0);
    if ((known & link) != 0) {
      return false;
    }
    linked.put(other, known | link);
    if (known == 0) {
      owner.addWeight(Footprint.LINK);
    }
    return true;
  }

  /**
   * Notes a possible link; false if there were two already. Two, since what a transaction reads and
   * then reads again as it is by now is excused (IsoRel §3.4), and what lies beside it is not.
   */
  boolean linkTwice(Transaction other, int link) {
    return link(other, link) || link(other, link << 1);
  }
}
