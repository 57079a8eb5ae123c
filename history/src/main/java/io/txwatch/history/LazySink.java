package io.txwatch.history;

import java.io.Flushable;
import java.io.IOException;
import java.util.ServiceConfigurationError;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * A sink that is opened at its first use, by the thread that uses it. Opening a file can block for
 * ever (a named pipe without a reader, a network file system whose server is gone), so the
 * application's threads must not do it: they put events into a {@link QueueSink}, whose thread
 * opens what stands behind it.
 *
 * <p>If the sink cannot be opened, that is reported in one line and every event is dropped. Closing
 * it closes the sink that it has opened; the next use opens another one. For one thread at a time.
 */
public final class LazySink implements EventSink, Flushable {

  /** Opens the sink; may block. */
  @FunctionalInterface
  public interface Opener {
    /** The opened sink. */
    EventSink open() throws IOException;
  }

  private final String failure;
  private final Opener opener;
  private final Consumer<String> warnings;
  private @Nullable EventSink sink;
  private boolean openAttempted;
  private boolean reported;
  private Runnable waker = () -> {};

  /**
   * @param failure what it means if the sink cannot be opened: the beginning of the line that says
   *     so
   * @param warnings takes a line for people
   */
  public LazySink(String failure, Opener opener, Consumer<String> warnings) {
    this.failure = failure;
    this.opener = opener;
    this.warnings = warnings;
  }

  private @Nullable EventSink sink() {
    if (!openAttempted) {
      openAttempted = true;
      try {
        EventSink opened = opener.open();
        opened.setWaker(waker);
        sink = opened;
      } catch (IOException | RuntimeException | ServiceConfigurationError | LinkageError e) {
        String message = e.getMessage();
        if (!reported) {
          reported = true;
          warnings.accept(failure + ": " + (message == null ? e : message));
        }
      }
    }
    return sink;
  }

  @Override
  public void accept(Event event) {
    EventSink opened = sink();
    if (opened != null) {
      opened.accept(event);
    }
  }

  @Override
  public void caughtUp() {
    EventSink opened = sink();
    if (opened != null) {
      opened.caughtUp();
    }
  }

  @Override
  public void flush() throws IOException {
    if (sink instanceof Flushable flushable) {
      flushable.flush();
    }
  }

  @Override
  public void setWaker(Runnable newWaker) {
    waker = newWaker;
    if (sink != null) {
      sink.setWaker(newWaker);
    }
  }

  @Override
  public boolean quiesce() {
    EventSink opened = sink;
    if (opened == null || !opened.quiesce()) {
      reset();
    }
    return true;
  }

  @Override
  public void close() {
    EventSink opened = sink;
    reset();
    if (opened != null) {
      opened.close();
    }
  }

  private void reset() {
    sink = null;
    openAttempted = false;
  }
}
