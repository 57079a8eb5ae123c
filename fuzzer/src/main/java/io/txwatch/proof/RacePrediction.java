package io.txwatch.proof;

import io.txwatch.dbms.Dbms;
import io.txwatch.history.Event;
import io.txwatch.history.EventSink;
import io.txwatch.history.IsolationLevel;
import io.txwatch.predict.LevelledCandidate;
import io.txwatch.predict.ObservedOperation;
import io.txwatch.predict.TemplateCollector;
import io.txwatch.schedule.CaseInterleaver;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.List;
import java.util.function.Consumer;

/** Predicts races from the events of a history as it arises, and executes them. */
public final class RacePrediction implements EventSink {

  private final TemplateCollector collector = new TemplateCollector();

  @Override
  public synchronized void accept(Event event) {
    collector.accept(event);
  }

  @Override
  public void close() {}

  /**
   * Executes all candidates.
   *
   * @param source a connection to the database that has the tables; only read
   * @param level the level of all operations
   * @param proofs takes each as soon as it is there
   * @throws SQLException if the DBMS cannot be reached
   */
  public synchronized void prove(
      Dbms dbms,
      Connection source,
      CaseInterleaver interleaver,
      IsolationLevel level,
      Consumer<RaceProof> proofs)
      throws SQLException, InterruptedException {
    List<ObservedOperation> operations = collector.operations();
    RaceProver prover =
        new RaceProver(
            dbms, source, interleaver, operations, RaceProver.MAX_TIME, RaceProver.MAX_TIME);
    for (LevelledCandidate candidate :
        LevelledCandidate.at(
            operations.stream().map(ObservedOperation::template).toList(),
            dbms.database(),
            level)) {
      proofs.accept(prover.prove(candidate.candidate(), candidate.levels()));
    }
  }
}
