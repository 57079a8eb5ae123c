package io.txwatch.schedule;

import java.util.ArrayList;
import java.util.List;
import java.util.Set;

/**
 * How a session was observed to execute the statements of a transaction: an application that finds
 * other rows may do something else, so a session that leaves this path is rolled back.
 *
 * @param texts the statements
 * @param rows how many rows each returned or changed; -1 if that does not matter
 * @param found which rows each query found
 * @param callSites where the application executed each; empty texts if unknown
 */
public record ObservedPath(
    List<ComputedText> texts,
    List<Integer> rows,
    List<IdentifiedRows> found,
    List<String> callSites) {

  public ObservedPath {
    texts = List.copyOf(texts);
    rows = List.copyOf(rows);
    found = List.copyOf(found);
    callSites = List.copyOf(callSites);
  }

  /** The same path with other texts. */
  public ObservedPath withTexts(List<ComputedText> others) {
    return new ObservedPath(others, rows, found, callSites);
  }

  /** The path without some statements, on whose results no other one depends. */
  public ObservedPath without(Set<Integer> removed) {
    List<ComputedText> fewer = new ArrayList<>();
    List<Integer> counts = new ArrayList<>();
    List<IdentifiedRows> kept = new ArrayList<>();
    List<String> places = new ArrayList<>();
    for (int i = 0; i < texts.size(); i++) {
      if (!removed.contains(i)) {
        fewer.add(texts.get(i).afterRemoving(removed));
        counts.add(rows.get(i));
        kept.add(found.get(i));
        places.add(callSites.get(i));
      }
    }
    return new ObservedPath(fewer, counts, kept, places);
  }

  /** When a session leaves its path. */
  public enum Strictness {
    /** If a statement returns or changes other rows than observed, in number. */
    COUNTS,
    /** In that case only if no write follows: else it goes on whatever it has found. */
    LAST_COUNT,
    /**
     * Also if it writes, or commits what it has written, after a query has returned something else
     * than when the session is alone.
     */
    VALUES
  }

  /** A session has left its path. */
  public static final class LeftException extends RuntimeException {
    private static final long serialVersionUID = 1;

    LeftException(String message) {
      super(message);
    }
  }
}
