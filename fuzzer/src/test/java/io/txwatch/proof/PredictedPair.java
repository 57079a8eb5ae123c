package io.txwatch.proof;

import io.txwatch.jdbc.Watch;
import io.txwatch.pairs.Cell;
import io.txwatch.pairs.Pair;
import io.txwatch.pairs.PairDatabase;
import io.txwatch.pairs.PairSession;
import io.txwatch.predict.OperationTemplate;
import io.txwatch.predict.RaceCandidate;
import io.txwatch.proof.RaceProof.Result;
import io.txwatch.servers.ServerKind;
import java.sql.Connection;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * What is predicted for two operations of which each ran once, alone.
 *
 * @param proofs those of the candidates that consist of both operations
 */
record PredictedPair(List<RaceProof> proofs) {

  private static final String[] NAMES = {"A", "B"};
  private static @Nullable String running;

  /** Runs each operation alone, on the rows that the pair begins with, and predicts. */
  static PredictedPair of(Pair pair, Cell cell) throws Exception {
    Watch.nameTransactions(() -> running);
    try (PairDatabase database = new PairDatabase(pair, cell, false);
        ObservedApplication application = new ObservedApplication(database.url())) {
      Connection connection = application.connection();
      connection.setTransactionIsolation(
          pair.isSerializable() ? Connection.TRANSACTION_SERIALIZABLE : cell.level());
      connection.setAutoCommit(pair.isAutocommit());
      boolean isPostgres = cell.kind() == ServerKind.POSTGRESQL;
      for (int i = 0; i < 2; i++) {
        running = NAMES[i];
        try {
          new PairSession(connection, isPostgres).execute(pair.operations().get(i));
        } catch (IllegalStateException e) {
          // The operation of one pair always fails.
        }
        database.reset();
      }
      return new PredictedPair(application.prove(PredictedPair::isOfBoth));
    } finally {
      running = null;
    }
  }

  private static boolean isOfBoth(RaceCandidate candidate) {
    List<OperationTemplate> operations = candidate.operations();
    Set<String> names =
        operations.stream().map(OperationTemplate::name).collect(Collectors.toSet());
    return operations.size() == 2 && names.size() == 2;
  }

  /** Confirmed if one candidate is; no candidate if there is none. */
  String result() {
    for (Result result : List.of(Result.CONFIRMED, Result.UNDECIDED, Result.REFUTED)) {
      if (proofs.stream().anyMatch(proof -> proof.result() == result)) {
        return result.name().toLowerCase(Locale.ROOT);
      }
    }
    return "no candidate";
  }

  /** The orders that were executed. */
  int executions() {
    return proofs.stream().mapToInt(RaceProof::executions).sum();
  }

  /** Why candidates are undecided. */
  String reason() {
    return proofs.stream()
        .filter(proof -> proof.result() == Result.UNDECIDED)
        .map(RaceProof::reason)
        .distinct()
        .collect(Collectors.joining(" | "))
        .replace('\n', ' ')
        .replace(';', ',');
  }
}
