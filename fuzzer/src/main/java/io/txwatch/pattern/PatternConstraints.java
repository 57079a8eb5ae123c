package io.txwatch.pattern;

import io.txwatch.pattern.PatternOperation.Type;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/**
 * What a pattern demands of generated transactions (section 3.3.1): together, the three constraints
 * mean the same as the pattern.
 *
 * @param statementTypes by transaction, how many statements of each type it has (definition 3.1)
 * @param dataAccess the version of an item that each operation accesses (definition 3.2)
 * @param schedule the transaction of each operation, in order (definition 3.3)
 */
public record PatternConstraints(
    Map<Integer, StatementTypes> statementTypes,
    Map<Position, Version> dataAccess,
    List<Integer> schedule) {

  /** How many statements of each type a transaction has. */
  public record StatementTypes(int reads, int writes, int rollbacks, int commits) {

    /** As the paper writes it. */
    @Override
    public String toString() {
      return String.format(
          Locale.ROOT, "<(R,%d),(W,%d),(B,%d),(C,%d)>", reads, writes, rollbacks, commits);
    }
  }

  /**
   * The position of an operation in its transaction.
   *
   * @param transaction the transaction, 1 or 2
   * @param index the position, from 1
   */
  public record Position(int transaction, int index) {}

  /** A version of an item. */
  public record Version(String item, int number) {}

  /** The constraints of a pattern. Snapshots are no statements of their own and have none. */
  public static PatternConstraints of(AnomalyPattern pattern) {
    List<PatternOperation> statements =
        pattern.operations().stream()
            .filter(operation -> operation.type() != Type.SNAPSHOT)
            .toList();
    Map<Integer, StatementTypes> types = new LinkedHashMap<>();
    Map<Position, Version> access = new LinkedHashMap<>();
    for (int transaction = 1; transaction <= 2; transaction++) {
      int own = transaction;
      List<PatternOperation> ofTransaction =
          statements.stream().filter(operation -> operation.transaction() == own).toList();
      types.put(
          transaction,
          new StatementTypes(
              count(ofTransaction, Type.READ),
              count(ofTransaction, Type.WRITE) + count(ofTransaction, Type.DRAW),
              count(ofTransaction, Type.ABORT),
              count(ofTransaction, Type.COMMIT)));
      for (int i = 0; i < ofTransaction.size(); i++) {
        PatternOperation operation = ofTransaction.get(i);
        if (operation.type().accessesItem()) {
          access.put(
              new Position(transaction, i + 1), new Version(operation.item(), operation.version()));
        }
      }
    }
    return new PatternConstraints(
        types, access, statements.stream().map(PatternOperation::transaction).toList());
  }

  private static int count(List<PatternOperation> operations, Type type) {
    return (int) operations.stream().filter(operation -> operation.type() == type).count();
  }
}
