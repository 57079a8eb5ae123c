package io.txwatch.coverage;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * Two operations of which committed transactions locked the same two rows in opposite orders: they
 * can deadlock if they run at the same time. It is no anomaly, since nothing happened.
 *
 * @param one an operation
 * @param other the one that locked the same rows in the opposite order, possibly the same operation
 * @param count how many transactions were observed to lock two rows in the opposite order of a
 *     recent one
 */
public record PossibleDeadlock(Side one, Side other, long count) {

  /** More kinds are not shown. */
  public static final int MAX_KINDS = 20;

  public static final String ADVICE =
      "Lock these rows in one order in all operations, or all of them at the beginning with SELECT"
          + " ... FOR UPDATE in the order of the key.";

  /**
   * One of the operations.
   *
   * @param operation its name
   * @param first the statement that locked the row that the other operation locked later
   * @param then the statement that locked the row that the other operation had locked first
   */
  public record Side(String operation, Lock first, Lock then) {}

  /**
   * A statement that locked a row; of an example.
   *
   * @param table the row's table
   * @param row the value of the row's primary key; empty if it is not known
   * @param callSite where the application called it; empty if unknown
   * @param sql its text
   */
  public record Lock(String table, String row, String callSite, String sql) {

    private String kind() {
      return table + '\n' + callSite;
    }
  }

  public PossibleDeadlock {
    if (kind(one).compareTo(kind(other)) > 0) {
      Side before = one;
      one = other;
      other = before;
    }
  }

  private static String kind(Side side) {
    return side.operation + '\n' + side.first.kind() + '\n' + side.then.kind();
  }

  /** Equal for the same operations that lock rows of the same tables at the same lines. */
  public String kind() {
    return kind(one) + '\n' + kind(other);
  }

  /** The sum of several, in which each kind occurs once, the most frequent first. */
  public static List<PossibleDeadlock> sum(List<PossibleDeadlock> all) {
    Map<String, PossibleDeadlock> sums = new LinkedHashMap<>();
    for (PossibleDeadlock each : all) {
      if (sums.size() < MAX_KINDS || sums.containsKey(each.kind())) {
        sums.merge(each.kind(), each, PossibleDeadlock::plus);
      }
    }
    List<PossibleDeadlock> sorted = new ArrayList<>(sums.values());
    sorted.sort(Comparator.comparingLong(PossibleDeadlock::count).reversed());
    return List.copyOf(sorted);
  }

  private PossibleDeadlock plus(PossibleDeadlock more) {
    return new PossibleDeadlock(one, other, count + more.count);
  }
}
