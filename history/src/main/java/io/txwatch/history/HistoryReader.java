package io.txwatch.history;

import com.google.protobuf.InvalidProtocolBufferException;
import io.txwatch.history.wire.Entry;
import io.txwatch.history.wire.Header;
import java.io.Closeable;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Queue;
import java.util.function.Consumer;

/**
 * Reads a history's file from its beginning to where it ended when it was opened, one event after
 * the other.
 *
 * <p>Damage does not end the reading: every intact record is delivered, in the file's order, and in
 * place of what is lost stands a {@link Event.Gap} of reason {@link GapReason#TORN_RECORD} and a
 * {@link Loss} that says where and how much. A file that its writer did not close, because it still
 * writes or was killed, is such a loss too, of 0 bytes: nobody knows what was still to come.
 *
 * <p>For one thread. Reads about the last megabyte's worth into memory, and a dictionary.
 */
public final class HistoryReader implements Closeable {

  private final Path file;
  private final FileChannel channel;
  private final RecordScanner scanner;
  private final EventDecoder decoder = new EventDecoder();
  private final HistoryHeader header;
  private final List<Loss> losses = new ArrayList<>();
  private final Queue<Event> ready = new ArrayDeque<>();
  private Origin origin = Origin.NOBODY;
  private boolean closedInOrder;
  private boolean atEnd;

  private HistoryReader(Path file, FileChannel channel) throws IOException {
    this.file = file;
    this.channel = channel;
    this.scanner = new RecordScanner(channel);
    this.header = readHeader();
  }

  /**
   * Opens a file.
   *
   * @throws HistoryFormatException if it is not a history, or of a version unknown here
   * @throws IOException if it cannot be read
   */
  public static HistoryReader open(Path file) throws IOException {
    FileChannel channel = FileChannel.open(file, StandardOpenOption.READ);
    try {
      return new HistoryReader(file, channel);
    } catch (IOException | RuntimeException e) {
      channel.close();
      throw e;
    }
  }

  /** Reads from a channel that is the caller's to close. */
  static HistoryReader over(Path file, FileChannel channel) throws IOException {
    return new HistoryReader(file, channel);
  }

  /** Whence the last event came, that one counted. */
  Origin origin() {
    return origin;
  }

  /** What the file says of itself. */
  public HistoryHeader header() {
    return header;
  }

  /** Hands every event that was not yet read to {@code consumer}. */
  public void forEach(Consumer<? super Event> consumer) throws IOException {
    while (!atEnd || !ready.isEmpty()) {
      if (ready.isEmpty()) {
        readRecord();
      } else {
        consumer.accept(ready.remove());
      }
    }
  }

  /** The next event; empty at the end, and from then on. */
  public Optional<Event> next() throws IOException {
    while (ready.isEmpty() && !atEnd) {
      readRecord();
    }
    return Optional.ofNullable(ready.poll());
  }

  /** What could not be delivered so far, in the file's order. Complete when the end is reached. */
  public List<Loss> losses() {
    return List.copyOf(losses);
  }

  /** Where the last intact record ends; what stands behind it, at the end, is lost. */
  long end() {
    return scanner.end();
  }

  /** At the end: true if its writer closed the file and nothing stands behind that. */
  boolean closedInOrder() {
    return closedInOrder;
  }

  @Override
  public void close() throws IOException {
    channel.close();
  }

  private void readRecord() throws IOException {
    boolean found = scanner.advance();
    if (scanner.skipped() > 0) {
      String what =
          found
              ? "damaged records in the middle of the file"
              : "the file ends within a record, or with a damaged one";
      lose(new Loss(scanner.offset() - scanner.skipped(), scanner.skipped(), what));
      closedInOrder = false;
    }
    if (!found) {
      atEnd = true;
      if (!closedInOrder && scanner.skipped() == 0) {
        lose(
            new Loss(
                scanner.end(),
                0,
                "the file was not closed: its writer still writes or was killed"));
      }
      return;
    }
    Event frequent = scanner.event(decoder);
    if (frequent != null) {
      closedInOrder = false;
      origin = origin.next();
      ready.add(frequent);
      return;
    }
    Entry entry;
    try {
      entry = Entry.parseFrom(scanner.body());
    } catch (InvalidProtocolBufferException e) {
      lose(new Loss(scanner.offset(), scanner.end() - scanner.offset(), "a record is no entry"));
      return;
    }
    take(entry);
  }

  private void take(Entry entry) {
    closedInOrder = entry.hasClosed();
    if (entry.hasHeader()) {
      decoder.restart();
    }
    decoder.learn(entry);
    if (entry.hasHeader() || entry.hasClosed()) {
      origin = Origin.NOBODY;
      return;
    }
    if (entry.hasOrigin()) {
      origin = Origin.of(entry.getOrigin());
      return;
    }
    origin = origin.next();
    try {
      ready.add(decoder.decode(entry));
    } catch (IllegalArgumentException e) {
      String what = "a record cannot be understood: " + e.getMessage();
      losses.add(new Loss(scanner.offset(), scanner.end() - scanner.offset(), what));
      ready.add(EventDecoder.gapOf(entry, GapReason.TORN_RECORD, what));
    }
  }

  private void lose(Loss loss) {
    losses.add(loss);
    ready.add(new Event.Gap(0, 0, GapReason.TORN_RECORD, loss.toString(), 1));
  }

  private HistoryHeader readHeader() throws IOException {
    if (channel.size() == 0) {
      throw new HistoryFormatException(file, 0, "expected a txwatch history, the file is empty");
    }
    Header found = Header.getDefaultInstance();
    // A header that is damaged or cut off is not searched for: a foreign file must be told at once.
    if (scanner.isIntactNext() && scanner.advance()) {
      try {
        found = Entry.parseFrom(scanner.body()).getHeader();
      } catch (InvalidProtocolBufferException e) {
        throw notAHistory();
      }
    }
    if (!found.getMagic().equals(EventEncoder.MAGIC)) {
      throw notAHistory();
    }
    if (found.getVersion() > EventEncoder.VERSION || found.getVersion() < 1) {
      throw new HistoryFormatException(
          file,
          scanner.offset(),
          "written in version "
              + Integer.toUnsignedString(found.getVersion())
              + " of the format, expected at most "
              + EventEncoder.VERSION);
    }
    return new HistoryHeader(found.getVersion(), found.getNode(), found.getStartMicros());
  }

  private HistoryFormatException notAHistory() {
    return new HistoryFormatException(
        file, 0, "expected the header of a txwatch history, found something else");
  }
}
