package io.txwatch.proof;

import io.txwatch.pairs.Cell;
import io.txwatch.pairs.Pair;
import io.txwatch.pairs.Pairs;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * Prints the table of docs/measurements/predict.csv: for each pair and each cell what is known, and
 * what is predicted from one execution of each operation alone; then the sums. Arguments are parts
 * of the names of pairs; none for all.
 */
final class PredictedPairTable {

  private static final String TWO_TRANSACTIONS =
      "the operation is two transactions and only transactions are predicted";
  private static final String IGNORED_COUNT =
      "it is a race only if an operation goes on although a statement has changed more or fewer"
          + " rows than observed";

  /** Why races are not predicted, by the name of the pair. */
  private static final Map<String, String> NOT_PREDICTED =
      Map.of(
          "a check before a guarded UPDATE whose count is ignored",
          IGNORED_COUNT,
          "a version whose count is ignored",
          IGNORED_COUNT,
          "two defaults, in a transaction",
          IGNORED_COUNT,
          "a token is read and deleted",
          IGNORED_COUNT,
          "a row is locked, and changed in the next transaction",
          TWO_TRANSACTIONS,
          "two defaults, without a transaction",
          TWO_TRANSACTIONS,
          "a unique name is taken for a moment",
          TWO_TRANSACTIONS,
          "a child is there for a moment",
          TWO_TRANSACTIONS,
          "a queue whose rows are locked looks empty",
          "one operation always rolls back and only committed transactions are taken in");

  /** Why a race is confirmed where the pair is safe, by its name. */
  private static final Map<String, String> OTHER_ROWS =
      Map.of(
          "two rename themselves to the same unique name",
          "a true race of both operations with one row, which the pair does not execute");

  private PredictedPairTable() {}

  public static void main(String[] parts) throws Exception {
    Map<String, Integer> sums = new TreeMap<>();
    System.out.println("pair;DBMS and level;known;predicted;orders;reason");
    for (Pair pair : Pairs.ALL) {
      if (parts.length > 0 && List.of(parts).stream().noneMatch(pair.name()::contains)) {
        continue;
      }
      for (Cell cell : Cell.values()) {
        PredictedPair found = PredictedPair.of(pair, cell);
        String known = pair.isRacy(cell) ? "RACE" : "SAFE";
        sums.merge(known + " " + found.result(), 1, Integer::sum);
        System.out.println(
            String.join(
                ";",
                pair.name(),
                cell.title(),
                known,
                found.result(),
                String.valueOf(found.executions()),
                reason(pair, cell, found)));
      }
    }
    System.err.println(sums);
  }

  private static String reason(Pair pair, Cell cell, PredictedPair found) {
    boolean isConfirmed = found.result().equals("confirmed");
    if (pair.isRacy(cell) == isConfirmed) {
      return isConfirmed ? "" : found.reason();
    }
    return (isConfirmed ? OTHER_ROWS : NOT_PREDICTED).getOrDefault(pair.name(), found.reason());
  }
}
