package io.txwatch.interleave.service;

import io.txwatch.interleave.Interleaved;
import java.util.List;

/** What a controller and the gate of a service send each other. */
public sealed interface GateMessage {

  /**
   * The controller's first message: what is to be interleaved.
   *
   * @param version of the protocol: {@link GateConnection#VERSION}
   * @param token the secret of the gate
   * @param operations their names, as reports show them
   * @param preemptions how often one may have to stop although it could go on
   * @param executions how many orders are executed at most
   * @param hasReset true if the controller restores the state before each execution
   */
  record Run(
      int version,
      String token,
      List<String> operations,
      int preemptions,
      int executions,
      boolean hasReset)
      implements GateMessage {

    /** Omits the token. */
    @Override
    public String toString() {
      return "Run" + operations;
    }
  }

  /**
   * The gate's: send the request of an operation.
   *
   * @param number which the answer has, too
   */
  record Request(int number, int operation) implements GateMessage {}

  /** The gate's: restore the state. */
  record Reset(int number) implements GateMessage {}

  /**
   * The controller's answer.
   *
   * @param result what the service has answered; not used after a reset
   * @param error what is compared instead of the result if the request has failed; empty if it has
   *     not
   */
  record Answer(int number, String result, String error) implements GateMessage {}

  /**
   * The gate's last message.
   *
   * @param found without its anomalies
   * @param phenomenon the name of the first of them; empty if there is none
   */
  record Found(Interleaved found, String phenomenon) implements GateMessage {}

  /**
   * The gate's last message if it does not interleave.
   *
   * @param reason one line for people
   * @param isInput true if the controller's input is the reason, false if the gate is not available
   */
  record Refused(String reason, boolean isInput) implements GateMessage {}
}
