package io.txwatch.cli;

import io.txwatch.history.BackgroundThreads;
import java.io.IOException;
import java.time.Duration;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/**
 * Executes calls of tools one at a time, each for a limited time. A call that takes longer is
 * stopped: its statements are cancelled, so that its command removes its schemas as after any other
 * failure; if it does not end soon, all its sessions are ended.
 */
final class BoundedCalls {

  private static final int MAX_CANCELS = 5;
  private static final long CANCEL_INTERVAL_MILLIS = 1_000;

  /** The longest wait for a call that is stopped, also if the DBMS does not respond. */
  private static final long MAX_STOP_MILLIS = 10_000;

  private final Duration limit;

  BoundedCalls(Duration limit) {
    this.limit = limit;
  }

  /** A call of a tool. */
  interface Call {
    Object execute(OpenSessions sessions) throws IOException;
  }

  /**
   * Executes a call and returns its answer.
   *
   * @throws CommandException the call's, or if it takes too long
   */
  synchronized Object execute(String tool, Call call) throws IOException {
    OpenSessions sessions = new OpenSessions();
    FutureTask<Object> task = new FutureTask<>(() -> call.execute(sessions));
    Thread thread = BackgroundThreads.create("txwatch-tool", task);
    thread.start();
    try {
      return task.get(limit.toMillis(), TimeUnit.MILLISECONDS);
    } catch (TimeoutException e) {
      stop(thread, sessions);
      throw CommandException.badInput(
          tool
              + " has not ended within "
              + limit.toSeconds()
              + " s"
              + (sessions.wasUsed() ? ", its statements were cancelled" : "")
              + "; start txwatch mcp with a longer "
              + McpCommand.CALL_TIMEOUT
              + " if that was too short");
    } catch (InterruptedException e) {
      stop(thread, sessions);
      Thread.currentThread().interrupt();
      throw new IOException("the server ends", e);
    } catch (ExecutionException e) {
      if (e.getCause() instanceof IOException cause) {
        throw cause;
      } else if (e.getCause() instanceof RuntimeException cause) {
        throw cause;
      }
      throw new IllegalStateException(e.getCause());
    }
  }

  private static void stop(Thread call, OpenSessions sessions) {
    Thread stopper = BackgroundThreads.create("txwatch-stop", () -> cancel(call, sessions));
    stopper.start();
    try {
      stopper.join(MAX_STOP_MILLIS);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  private static void cancel(Thread call, OpenSessions sessions) {
    try {
      for (int i = 0; i < MAX_CANCELS && call.isAlive(); i++) {
        sessions.cancelStatements();
        if (i > 0) { // the failure of its statement has not ended it
          call.interrupt();
        }
        call.join(CANCEL_INTERVAL_MILLIS);
      }
      sessions.end();
      call.join(CANCEL_INTERVAL_MILLIS);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }
}
