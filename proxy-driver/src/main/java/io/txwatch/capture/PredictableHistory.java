package io.txwatch.capture;

import io.txwatch.history.Event;
import io.txwatch.history.EventSink;
import io.txwatch.history.HistoryWriter;
import io.txwatch.history.Outcome;
import java.io.Flushable;
import java.nio.file.Path;
import java.util.HashSet;
import java.util.Locale;
import java.util.Set;
import java.util.function.Consumer;

/**
 * A history file whose transactions have values, so that races can be predicted from it. When it is
 * closed, a line states how many transactions there are, and the command that predicts: what was
 * recorded is of no use to who does not know it. No thread but that of the queue uses it.
 */
final class PredictableHistory implements EventSink, Flushable {

  /** Transactions without an end are of no use, and must not fill the memory. */
  private static final int MAX_OPEN = 100_000;

  private final HistoryWriter history;
  private final Path file;
  private final Consumer<String> lines;
  private final Set<Long> open = new HashSet<>();
  private long committed;

  PredictableHistory(HistoryWriter history, Path file, Consumer<String> lines) {
    this.history = history;
    this.file = file;
    this.lines = lines;
  }

  @Override
  public void accept(Event event) {
    history.accept(event);
    if (event instanceof Event.ValuesRecorded recorded && open.size() < MAX_OPEN) {
      open.add(recorded.transaction());
    } else if (event instanceof Event.TransactionEnded ended
        && open.remove(ended.transaction())
        && ended.outcome() == Outcome.COMMITTED) {
      committed++;
    }
  }

  @Override
  public void flush() {
    history.flush();
  }

  @Override
  public void close() {
    history.close();
    if (committed > 0) {
      String transactions =
          committed == 1
              ? "1 transaction is recorded with its values"
              : String.format(
                  Locale.ROOT, "%,d transactions are recorded with their values", committed);
      lines.accept(
          transactions
              + ": ./txwatch predict "
              + file
              + " --url URL shows which operations race, by executing them");
    }
    committed = 0;
  }
}
