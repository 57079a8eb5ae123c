package io.txwatch.history;

import java.io.Flushable;
import java.io.IOException;
import java.util.ServiceConfigurationError;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * A sink that opens its delegate on first use, on the calling thread. Opening a file can block
 * forever (a named pipe without a reader, a network file system that does not respond), so
 * application threads must not do it: they add events to a {@link QueueSink}, whose thread opens
 * the delegate.
 *
 * <p>If the delegate cannot be opened, one line is reported and every event is dropped. Closing
 * this sink closes the delegate; the next use opens another one. Not thread-safe.
 */
public final class LazySink implements EventSink, Flushable {

  /** Opens the delegate; may block. */
  @FunctionalInterface
  public interface Opener {
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
   * @param failure the beginning of the line reported if the delegate cannot be opened: the
   *     consequence
   * @param warnings receives the reported line
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
