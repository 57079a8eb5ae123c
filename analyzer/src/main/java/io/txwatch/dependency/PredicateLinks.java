package io.txwatch.dependency;

import java.util.ArrayList;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;

/** The known predicate dependencies of one transaction. */
final class PredicateLinks {

  /** The kinds of links: possible ones, through a first row and through a second one. */
  static final int POSSIBLE_RW = 1;

  static final int POSSIBLE_WR = 4;
  static final int PROVEN_RW = 16;
  static final int PROVEN_WR = 64;
  static final int CHOSEN_RW = 256;
  static final int CHOSEN_WR = 1024;

  /**
   * A dependency that waits for its transactions to end.
   *
   * @param version the version whose writer, one of the two, must have committed it
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

  /** The dependencies to other transactions that were emitted, or wait. */
  private final Map<Transaction, Integer> linked = new IdentityHashMap<>();

  final List<Waiting> waiting = new ArrayList<>(0);

  /** The columns on which the recorded reads by predicate of each table depend. */
  private final Map<Table, Long> columns = new IdentityHashMap<>(1);

  PredicateLinks(Transaction owner) {
    this.owner = owner;
    owner.addWeight(Footprint.LINKS);
  }

  /** Adds the columns of a read by predicate; false if earlier reads depend on all of them. */
  boolean addColumns(Table table, long read) {
    long known = columns.getOrDefault(table, 0L);
    if ((read & ~known) == 0) {
      return false;
    }
    columns.put(table, known | read);
    return true;
  }

  /** Adds a link; false if it exists. */
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
   * Adds a possible link; false if there are two already. Two are kept, since a row that the
   * transaction read and later read again in its newest version is excepted (IsoRel §3.4), and the
   * neighbouring row is not.
   */
  boolean linkTwice(Transaction other, int link) {
    return link(other, link) || link(other, link << 1);
  }
}
