package io.txwatch.interleave.service;

import io.txwatch.history.BackgroundThreads;
import io.txwatch.interleave.FailedRequestException;
import io.txwatch.interleave.Interleaved;
import io.txwatch.interleave.Interleaver;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Semaphore;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** One connection of a controller, in the process of the service. */
final class GateSession {

  private static final int FIRST_MESSAGE_MILLIS = 10_000;

  /** The largest message until the token is known to be right. */
  private static final int MAX_FIRST_BYTES = 1 << 16;

  /** The delay after a wrong token, against guessing. */
  private static final long WRONG_TOKEN_MILLIS = 200;

  private static final String COMMAND_ENDED = "the command that interleaves has ended";

  private final String token;
  private final String testDatabases;
  private final Semaphore turn;
  private final Consumer<String> log;
  private final Map<Integer, CompletableFuture<GateMessage.Answer>> awaited =
      new ConcurrentHashMap<>();
  private final AtomicInteger numbers = new AtomicInteger();
  private volatile boolean isClosed;

  /**
   * A session that has not begun.
   *
   * @param token that a controller must send
   * @param testDatabases the value of {@code txwatch.test-database}
   * @param turn held while a controller interleaves
   */
  GateSession(String token, String testDatabases, Semaphore turn, Consumer<String> log) {
    this.token = token;
    this.testDatabases = testDatabases;
    this.turn = turn;
    this.log = log;
  }

  /** Serves a controller to the end of its connection. Never throws. */
  void serve(Socket socket) {
    try (GateConnection connection = new GateConnection(socket)) {
      socket.setSoTimeout(FIRST_MESSAGE_MILLIS);
      GateMessage first = connection.receive(MAX_FIRST_BYTES);
      if (!(first instanceof GateMessage.Run run)) {
        return;
      }
      GateMessage refused = refusal(run);
      if (refused != null) {
        connection.send(refused);
        return;
      }
      socket.setSoTimeout(0);
      connection.send(inTurn(connection, run));
    } catch (IOException e) {
      log.accept("a controller's connection has ended: " + e.getMessage());
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  private @Nullable GateMessage refusal(GateMessage.Run run) throws InterruptedException {
    if (run.version() != GateConnection.VERSION) {
      return new GateMessage.Refused(
          "the service runs another version of txwatch than this command", true);
    }
    if (!MessageDigest.isEqual(utf8(token), utf8(run.token()))) {
      Thread.sleep(WRONG_TOKEN_MILLIS);
      return new GateMessage.Refused(
          "the token is not that of the gate: set TXWATCH_TOKEN to the one that the service has"
              + " printed, or was given",
          true);
    }
    return null;
  }

  private static byte[] utf8(String text) {
    return text.getBytes(StandardCharsets.UTF_8);
  }

  private GateMessage inTurn(GateConnection connection, GateMessage.Run run)
      throws InterruptedException {
    if (!turn.tryAcquire()) {
      return new GateMessage.Refused("another command interleaves at this gate", false);
    }
    try {
      BackgroundThreads.create("txwatch-gate-answers", () -> receive(connection)).start();
      return interleave(connection, run);
    } catch (RuntimeException | LinkageError e) {
      return new GateMessage.Refused(String.valueOf(e.getMessage()), false);
    } finally {
      turn.release();
    }
  }

  private GateMessage interleave(GateConnection connection, GateMessage.Run run)
      throws InterruptedException {
    Interleaver interleaver =
        new Interleaver()
            .preemptions(run.preemptions())
            .executions(run.executions())
            .testDatabases(testDatabases);
    List<String> names = run.operations();
    for (int i = 0; i < names.size(); i++) {
      int operation = i;
      interleaver.operationOfService(names.get(i), () -> request(connection, operation));
    }
    if (run.hasReset()) {
      interleaver.reset(() -> reset(connection));
    }
    Interleaved found = interleaver.run();
    String phenomenon =
        found.anomalies().stream().map(one -> one.phenomenon().name()).findFirst().orElse("");
    return new GateMessage.Found(found, phenomenon);
  }

  /** An operation: the controller sends its request. */
  private String request(GateConnection connection, int operation) throws Exception {
    int number = numbers.incrementAndGet();
    GateMessage.Answer answer =
        answer(connection, number, new GateMessage.Request(number, operation));
    if (!answer.error().isEmpty()) {
      throw new FailedRequestException(answer.error());
    }
    return answer.result();
  }

  private void reset(GateConnection connection) {
    int number = numbers.incrementAndGet();
    String error;
    try {
      error = answer(connection, number, new GateMessage.Reset(number)).error();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IllegalStateException("interrupted while the state was reset", e);
    }
    if (!error.isEmpty()) {
      throw new IllegalStateException("the state could not be reset: " + error);
    }
  }

  // ---------------------------------------------------------------- answers

  private GateMessage.Answer answer(GateConnection connection, int number, GateMessage question)
      throws IOException, InterruptedException {
    CompletableFuture<GateMessage.Answer> answer = new CompletableFuture<>();
    awaited.put(number, answer);
    try {
      if (isClosed) {
        throw new IOException(COMMAND_ENDED);
      }
      connection.send(question);
      return answer.get();
    } catch (ExecutionException e) {
      throw new IOException(COMMAND_ENDED, e);
    } finally {
      awaited.remove(number);
    }
  }

  /** Delivers answers until the connection ends. */
  private void receive(GateConnection connection) {
    try {
      GateMessage next = connection.receive(GateConnection.MAX_LINE_BYTES);
      while (next instanceof GateMessage.Answer answer) {
        CompletableFuture<GateMessage.Answer> waits = awaited.get(answer.number());
        if (waits != null) {
          waits.complete(answer);
        }
        next = connection.receive(GateConnection.MAX_LINE_BYTES);
      }
    } catch (IOException e) {
      // As if it had been closed.
    } finally {
      isClosed = true;
      awaited.values().forEach(waits -> waits.completeExceptionally(new IOException("closed")));
    }
  }
}
