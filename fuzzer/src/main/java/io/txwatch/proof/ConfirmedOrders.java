package io.txwatch.proof;

import io.txwatch.proof.RaceProof.Result;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** The orders of statements that show races, each once. Not thread-safe. */
public final class ConfirmedOrders {

  private final Map<List<String>, Integer> numbers = new HashMap<>();

  /**
   * Adds the order of a race that is confirmed.
   *
   * @return its number, from 1; the number of an earlier one if that is the same order, whichever
   *     of its sessions is the first operation
   */
  public int add(RaceProof proof) {
    if (proof.result() != Result.CONFIRMED) {
      throw new IllegalArgumentException("no order shows it: " + proof.reason());
    }
    return numbers.merge(identity(proof), numbers.size() + 1, Math::min);
  }

  /** The calls, with sessions that are numbered as they begin, and their levels. */
  private static List<String> identity(RaceProof proof) {
    Map<String, Integer> sessions = new HashMap<>();
    List<String> calls = new ArrayList<>();
    for (String line : proof.schedule()) {
      int colon = line.indexOf(": ");
      String session = line.substring(0, colon);
      if (!sessions.containsKey(session)) {
        sessions.put(session, sessions.size() + 1);
        calls.add(proof.levels().get(Integer.parseInt(session.substring(1)) - 1).name());
      }
      calls.add(sessions.get(session) + line.substring(colon));
    }
    return calls;
  }
}
