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
 * Reads the events of a history in order, through all its {@linkplain HistoryParts parts}, oldest
 * first, up to the size that it had when opened.
 *
 * <p>Reading continues after damage: every intact record is delivered in file order. A lost range
 * yields a {@link Event.Gap} of reason {@link GapReason#TORN_RECORD} and a {@link Loss} with its
 * position and size. A file that its writer did not close, because it is still running or was
 * killed, yields a loss of 0 bytes, since further events may be missing.
 *
 * <p>Not thread-safe. Keeps a window of about one megabyte and the dictionary in memory.
 */
public final class HistoryReader implements Closeable {

  private final Path history;
  private final Deque<Path> remaining;
  private final boolean hasParts;
  private final @Nullable FileChannel newest;
  private final EventDecoder decoder = new EventDecoder();
  private HistoryHeader header;
  private final List<Loss> losses = new ArrayList<>();
  private final Queue<Event> ready = new ArrayDeque<>();
  private final Set<Long> openSessions = new HashSet<>();
  private Path file;
  private FileChannel channel;
  private RecordScanner scanner;
  private boolean inFirstPart = true;
  private Origin origin = Origin.NONE;
  private boolean shared;
  private boolean closedInOrder;
  private boolean atEnd;
  private final long totalBytes;
  private long finishedBytes;

  private HistoryReader(Path history, List<Path> parts, @Nullable FileChannel newest)
      throws IOException {
    this.history = history;
    this.remaining = new ArrayDeque<>(parts);
    this.hasParts = parts.size() > 1;
    this.newest = newest;
    this.totalBytes = size(parts);
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
   * Opens a history. The name of a numbered part opens only that part.
   *
   * @throws HistoryFormatException if it is not a history, or its version is unknown
   * @throws IOException if it cannot be read
   */
  public static HistoryReader open(Path file) throws IOException {
    List<Path> parts = HistoryParts.of(file);
    return new HistoryReader(file, parts.isEmpty() ? List.of(file) : parts, null);
  }

  /** Reads parts; the newest is read through a channel that the caller closes. */
  static HistoryReader over(Path history, List<Path> parts, FileChannel newest) throws IOException {
    return new HistoryReader(history, parts, newest);
  }

  private FileChannel channelOf(Path part) throws IOException {
    return newest != null && part.equals(history)
        ? newest
        : FileChannel.open(part, StandardOpenOption.READ);
  }

  private static long size(List<Path> parts) {
    long bytes = 0;
    for (Path part : parts) {
      bytes += part.toFile().length(); // 0 if it is gone
    }
    return bytes;
  }

  /** The bytes of all parts together when the history was opened, for a display of progress. */
  public long totalBytes() {
    return totalBytes;
  }

  /** The bytes read so far, up to {@link #totalBytes}. */
  public long bytesRead() {
    return Math.min(totalBytes, finishedBytes + scanner.end());
  }

  private void closePart() throws IOException {
    if (channel != newest) {
      channel.close();
    }
  }

  /** Returns the origin of the last event, counting that event. */
  Origin origin() {
    return origin;
  }

  /**
   * Whether the events read so far are those that an analyzer recorded which several processes may
   * share.
   */
  public boolean isShared() {
    return shared;
  }

  /**
   * The header of the first part. It has {@link HistoryHeader#containsValues} once a header with it
   * was read: an analyzer that several processes share learns late that one of them records values.
   */
  public HistoryHeader header() {
    return header;
  }

  /** Passes every remaining event to {@code consumer}. */
  public void forEach(Consumer<? super Event> consumer) throws IOException {
    while (!atEnd || !ready.isEmpty()) {
      if (ready.isEmpty()) {
        readRecord();
      } else {
        consumer.accept(ready.remove());
      }
    }
  }

  /** Returns the next event; empty at the end and on every later call. */
  public Optional<Event> next() throws IOException {
    while (ready.isEmpty() && !atEnd) {
      readRecord();
    }
    return Optional.ofNullable(ready.poll());
  }

  /** Returns the losses found so far, in file order. Complete once the end is reached. */
  public List<Loss> losses() {
    return List.copyOf(losses);
  }

  /** Returns the offset at which the last intact record ends. */
  long end() {
    return scanner.end();
  }

  /** At the end of the file: true if the writer closed it and nothing follows. */
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

  /** Opens the next readable part; reaches the end if there is none. */
  private void openNextPart() throws IOException {
    while (!remaining.isEmpty()) {
      int before = HistoryParts.numberOf(file);
      finishedBytes += scanner.end();
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
          boolean containsValues = readHeader().containsValues();
          header = containsValues ? header.withValues() : header;
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
      header = entry.getHeader().getContainsValues() ? header.withValues() : header;
    }
    decoder.learn(entry);
    if (entry.hasHeader() || entry.hasClosed()) {
      origin = Origin.NONE;
      return;
    }
    if (entry.hasOrigin()) {
      origin = Origin.of(entry.getOrigin());
      shared |= !origin.isNone();
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

  /** A part begins by repeating the sessions that were open at the end of the previous part. */
  private boolean isRepeated(Event event) {
    if (event instanceof Event.SessionOpened) {
      return !openSessions.add(event.session()) && !inFirstPart;
    } else if (event instanceof Event.SessionClosed) {
      openSessions.remove(event.session());
    }
    return false;
  }

  private void lose(Loss loss) {
    Loss located =
        hasParts
            ? new Loss(loss.offset(), loss.bytes(), file.getFileName() + ": " + loss.what())
            : loss;
    losses.add(located);
    ready.add(new Event.Gap(0, 0, GapReason.TORN_RECORD, located.toString(), 1));
  }

  private HistoryHeader readHeader() throws IOException {
    if (channel.size() == 0) {
      throw new HistoryFormatException(file, 0, "expected a txwatch history, the file is empty");
    }
    Header found = Header.getDefaultInstance();
    // A damaged or truncated header is not searched for: a foreign file must be rejected at once.
    if (scanner.isIntactNext() && scanner.advance()) {
      try {
        found = Entry.parseFrom(scanner.body()).getHeader();
      } catch (InvalidProtocolBufferException e) {
        throw new NoHistoryException(file);
      }
    }
    if (!found.getMagic().equals(EventEncoder.MAGIC)) {
      throw new NoHistoryException(file);
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
    return new HistoryHeader(
        found.getVersion(), found.getNode(), found.getStartMicros(), found.getContainsValues());
  }
}
