package io.txwatch.register;

import java.util.Arrays;

/**
 * Committed transactions in chains: each of a chain precedes the next one. What precedes a node is
 * then one number for each chain, instead of one bit for each transaction.
 *
 * <p>The writers of a key are grouped by chain, in its order.
 */
final class Chains {

  private final int[] chainOf;
  private final int[] positionOf;
  private int count;
  private final int[] firstGroupOf;
  private final Ints groupChains = new Ints();
  private final Ints groupStarts = new Ints();
  private final int[] members;

  /**
   * Creates chains.
   *
   * @param before for each transaction, one that precedes it directly and directly precedes no
   *     other here; -1 if there is none, -2 if it takes no part
   */
  Chains(Versions versions, int[] before) {
    int transactions = before.length;
    chainOf = new int[transactions];
    positionOf = new int[transactions];
    int[] after = new int[transactions];
    Arrays.fill(after, -1);
    Arrays.fill(chainOf, -1);
    for (int t = 0; t < transactions; t++) {
      if (before[t] >= 0) {
        after[before[t]] = t;
      }
    }
    for (int t = 0; t < transactions; t++) {
      if (before[t] == -1) {
        int position = 0;
        for (int member = t; member >= 0; member = after[member]) {
          chainOf[member] = count;
          positionOf[member] = position++;
        }
        count++;
      }
    }
    int[] starts = new int[versions.keys() + 1];
    for (int version = 0; version < versions.count(); version++) {
      starts[versions.key(version) + 1]++;
    }
    for (int key = 0; key < versions.keys(); key++) {
      starts[key + 1] += starts[key];
    }
    // Sorted by chain and position, then distributed to the keys.
    int[] firstPlace = firstPlaces();
    long[] sorted = new long[versions.count()];
    for (int version = 0; version < sorted.length; version++) {
      int t = versions.writer(version);
      sorted[version] = (long) (firstPlace[chainOf[t]] + positionOf[t]) << 32 | version;
    }
    Arrays.sort(sorted);
    members = new int[versions.count()];
    int[] next = Arrays.copyOf(starts, starts.length);
    for (long entry : sorted) {
      members[next[versions.key((int) entry)]++] = (int) entry;
    }
    firstGroupOf = new int[versions.keys() + 1];
    for (int key = 0; key < versions.keys(); key++) {
      firstGroupOf[key] = groupChains.size();
      int last = -1;
      for (int i = starts[key]; i < starts[key + 1]; i++) {
        int chain = chainOf[versions.writer(members[i])];
        if (chain != last) {
          groupChains.add(chain);
          groupStarts.add(i);
          last = chain;
        }
      }
    }
    firstGroupOf[versions.keys()] = groupChains.size();
    groupStarts.add(members.length);
  }

  private int[] firstPlaces() {
    int[] places = new int[count + 1];
    for (int chain : chainOf) {
      if (chain >= 0) {
        places[chain + 1]++;
      }
    }
    for (int chain = 0; chain < count; chain++) {
      places[chain + 1] += places[chain];
    }
    return places;
  }

  /** The number of chains. */
  int count() {
    return count;
  }

  /** The chain of a transaction; -1 if it takes no part. */
  int chain(int transaction) {
    return chainOf[transaction];
  }

  int position(int transaction) {
    return positionOf[transaction];
  }

  /** The first group of the writers of a key; its groups are consecutive. */
  int firstGroup(int key) {
    return firstGroupOf[key];
  }

  int endGroup(int key) {
    return firstGroupOf[key + 1];
  }

  int groupChain(int group) {
    return groupChains.get(group);
  }

  /** Where the versions of a group start in {@link #member}. */
  int groupStart(int group) {
    return groupStarts.get(group);
  }

  int groupEnd(int group) {
    return groupStarts.get(group + 1);
  }

  int member(int place) {
    return members[place];
  }
}
