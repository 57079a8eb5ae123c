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
import java.util.Deque;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Queue;
import java.util.Set;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Reads a history from its beginning to where it ended when it was opened, one event after the
 * other: all its {@linkplain HistoryParts parts}, the oldest first.
 *
 * <p>Damage does not end the reading: every intact record is delivered, in the file's order, and in
 * place of what is lost stands a {@link Event.Gap} of reason {@link GapReason#TORN_RECORD} and a
 * {@link Loss} that says where and how much. A file that its writer did not close, because it still
 * writes or was killed, is such a loss too, of 0 bytes: nobody knows what was still to come.
 *
 * <p>For one thread. Reads about the last megabyte's worth into memory, and a dictionary.
 */
public final class HistoryReader implements Closeable {

  private final Path history;
  private final Deque<Path> remaining;
  private final boolean hasParts;
  private final @Nullable FileChannel newest;
  private final EventDecoder decoder = new EventDecoder();
  private final HistoryHeader header;
  private final List<Loss> losses = new ArrayList<>();
  private final Queue<Event> ready = new ArrayDeque<>();
  private final Set<Long> openSessions = new HashSet<>();
  private Path file;
  private FileChannel channel;
  private RecordScanner scanner;
  private boolean inFirstPart = true;
  private Origin origin = Origin.NONE;
  private boolean closedInOrder;
  private boolean atEnd;

  private HistoryReader(Path history, List<Path> parts, @Nullable FileChannel newest)
      throws IOException {
    this.history = history;
    this.remaining = new ArrayDeque<>(parts);
    this.hasParts = parts.size() > 1;
    this.newest = newest;
    this.file = remaining.remove();
    this.channel = channelOf(file);
    try {
      this.scanner = new RecordScanner(channel);
      this.header = readHeader();
    } catch (IOException | RuntimeException e) {
      closePart();
      throw e;
    }
  }

  /**
   * Opens a history. The name of a numbered part gives that part alone.
   *
   * @throws HistoryFormatException if it is not a history, or of a version unknown here
   * @throws IOException if it cannot be read
   */
  public static HistoryReader open(Path file) throws IOException {
    List<Path> parts = HistoryParts.of(file);
    return new HistoryReader(file, parts.isEmpty() ? List.of(file) : parts, null);
  }

  /** Reads parts of which the newest is a channel that is the caller's to close. */
  static HistoryReader over(Path history, List<Path> parts, FileChannel newest) throws IOException {
    return new HistoryReader(history, parts, newest);
  }

  private FileChannel channelOf(Path part) throws IOException {
    return newest != null && part.equals(history)
        ? newest
        : FileChannel.open(part, StandardOpenOption.READ);
  }

  private void closePart() throws IOException {
    if (channel != newest) {
      channel.close();
    }
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
    closePart();
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
      if (!closedInOrder && scanner.skipped() == 0) {
        lose(
            new Loss(
                scanner.end(),
                0,
                "the file was not closed: its writer still writes or was killed"));
      }
      openNextPart();
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

  /** Goes on with the next part that can be read; without one this is the end. */
  private void openNextPart() throws IOException {
    while (!remaining.isEmpty()) {
      int before = HistoryParts.numberOf(file);
      closePart();
      file = remaining.remove();
      int number = HistoryParts.numberOf(file);
      inFirstPart = false;
      decoder.restart();
      channel = channelOf(file);
      scanner = new RecordScanner(channel);
      closedInOrder = channel.size() == 0;
      if (!file.equals(history) && number != before + 1) {
        lose(new Loss(0, 0, "the part before it is missing"));
      }
      if (channel.size() > 0) {
        try {
          readHeader();
          return;
        } catch (HistoryFormatException e) {
          scanner = new RecordScanner(channel);
          lose(new Loss(0, channel.size(), String.valueOf(e.getMessage())));
        }
      }
    }
    atEnd = true;
  }

  private void take(Entry entry) {
    closedInOrder = entry.hasClosed();
    if (entry.hasHeader()) {
      decoder.restart();
    }
    decoder.learn(entry);
    if (entry.hasHeader() || entry.hasClosed()) {
      origin = Origin.NONE;
      return;
    }
    if (entry.hasOrigin()) {
      origin = Origin.of(entry.getOrigin());
      return;
    }
    origin = origin.next();
    try {
      Event event = decoder.decode(entry);
      if (!isRepeated(event)) {
        ready.add(event);
      }
    } catch (IllegalArgumentException e) {
      String what = "a record cannot be understood: " + e.getMessage();
      losses.add(new Loss(scanner.offset(), scanner.end() - scanner.offset(), what));
      ready.add(EventDecoder.gapOf(entry, GapReason.TORN_RECORD, what));
    }
  }

  /** A part begins with the sessions that were open at the end of the one before. */
  private boolean isRepeated(Event event) {
    if (event instanceof Event.SessionOpened) {
      return !openSessions.add(event.session()) && !inFirstPart;
    } else if (event instanceof Event.SessionClosed) {
      openSessions.remove(event.session());
    }
    return false;
  }

  private void lose(Loss loss) {
    Loss told =
        hasParts
            ? new Loss(loss.offset(), loss.bytes(), file.getFileName() + ": " + loss.what())
            : loss;
    losses.add(told);
    ready.add(new Event.Gap(0, 0, GapReason.TORN_RECORD, told.toString(), 1));
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
