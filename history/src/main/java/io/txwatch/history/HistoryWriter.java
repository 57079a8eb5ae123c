package io.txwatch.history;

import io.txwatch.history.wire.Entry;
import java.io.Flushable;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.channels.OverlappingFileLockException;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.function.BiConsumer;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Appends events to a history file. May block on the disk, so a {@link QueueSink} precedes it.
 *
 * <p>Bytes are buffered until 64 KiB have gathered, a second has passed, or {@link #flush} is
 * called. A killed process loses the buffer; an orderly exit closes the writer. Flushed bytes are
 * in the operating system's cache: the writer never syncs.
 *
 * <p>An existing file is appended to: only its end is read, an incomplete last record is truncated
 * and reported with a {@link Event.Gap}, and a header starts a new segment with its own dictionary.
 * A file lock excludes a second writer.
 *
 * <p>A file that has reached its maximum size is renamed and a new one created ({@link
 * HistoryParts}). The new file begins with the open sessions, so that it can be read alone. If
 * another program moves or deletes the file, a new one is created within a second.
 *
 * <p>If a write fails, for example on a full disk, the buffered bytes are dropped, the file is
 * truncated to its last complete record, and the next write is attempted as usual. The first
 * failure is reported in a line; a gap is recorded once writing succeeds. Thread-safe.
 */
public final class HistoryWriter implements EventSink, Flushable {

  /** The default size in bytes at which a new file is started. */
  public static final long MAX_FILE_BYTES = 1L << 30;

  private static final int BUFFER_BYTES = 1 << 16;
  private static final long FLUSH_INTERVAL_NANOS = 1_000_000_000L;

  /** The size after which a new segment starts. It limits the effect of damage to a dictionary. */
  private static final long MAX_SEGMENT_BYTES = 1 << 24;

  /** The interval between checks that the file was not moved or deleted. */
  private static final long IDENTITY_CHECK_INTERVAL_NANOS = 1_000_000_000L;

  /** The maximum number of open sessions repeated at the start of a new file. */
  private static final int MAX_SESSIONS = 1 << 14;

  private final Path file;
  private final long maxBytes;
  private final Consumer<String> warnings;
  private final String node;
  private final long startMicros;
  private final EventEncoder encoder = new EventEncoder();

  private final RecordBuffer buffer = new RecordBuffer(BUFFER_BYTES);
  private final Map<Long, Event.SessionOpened> openSessions = new LinkedHashMap<>();
  private FileChannel channel;
  private @Nullable Object identity;
  private long identityCheckedNanos;
  private long nextPartAt;
  private Origin origin = Origin.NONE;
  private long eventsBuffered;
  private long written;
  private long segmentStart;
  private long flushedNanos = System.nanoTime();
  private long events;
  private long lost;
  private long unreportedLosses;
  private boolean lossReported;
  private boolean partFailureReported;
  private boolean closed;

  /** Whether headers state that values of the application follow. */
  private boolean containsValues;

  private HistoryWriter(
      Path file,
      FileChannel channel,
      String node,
      long maxBytes,
      Consumer<String> warnings,
      @Nullable BiConsumer<Event, Origin> past)
      throws IOException {
    this.file = file;
    this.channel = channel;
    this.node = node;
    this.maxBytes = maxBytes;
    this.warnings = warnings;
    this.startMicros = System.currentTimeMillis() * 1000;
    begin(channel, past);
  }

  /** Opens a file for this process and reports failures on standard error. */
  public static HistoryWriter open(Path file) throws IOException {
    return open(file, MAX_FILE_BYTES);
  }

  /** Opens a file with a maximum size in bytes. */
  public static HistoryWriter open(Path file, long maxBytes) throws IOException {
    return open(
        file,
        "process " + ProcessHandle.current().pid(),
        maxBytes,
        line -> System.err.println("txwatch: " + line),
        null);
  }

  /**
   * Creates a file or opens an existing one for appending.
   *
   * @param node the writer's name, for display
   * @param warnings receives a line when events are lost
   * @throws HistoryFormatException if the file exists and is not a history; it is left unchanged
   * @throws IOException if it cannot be written, or another writer has locked it
   */
  public static HistoryWriter open(Path file, String node, Consumer<String> warnings)
      throws IOException {
    return open(file, node, MAX_FILE_BYTES, warnings, null);
  }

  /**
   * Creates a file or opens an existing one for appending, and first reads the whole history, all
   * its {@linkplain HistoryParts parts}.
   *
   * @param maxBytes the size at which the next file is started
   * @param past receives each event of the history with its origin, before this method returns
   */
  public static HistoryWriter resume(
      Path file,
      String node,
      long maxBytes,
      Consumer<String> warnings,
      BiConsumer<Event, Origin> past)
      throws IOException {
    return open(file, node, maxBytes, warnings, past);
  }

  /** Opens a file with a maximum size in bytes. */
  static HistoryWriter open(Path file, String node, long maxBytes, Consumer<String> warnings)
      throws IOException {
    return open(file, node, maxBytes, warnings, null);
  }

  private static HistoryWriter open(
      Path file,
      String node,
      long maxBytes,
      Consumer<String> warnings,
      @Nullable BiConsumer<Event, Origin> past)
      throws IOException {
    FileChannel channel = openLocked(file);
    try {
      return new HistoryWriter(file, channel, node, maxBytes, warnings, past);
    } catch (IOException | RuntimeException e) {
      channel.close();
      throw e;
    }
  }

  private static FileChannel openLocked(Path file) throws IOException {
    if (Files.exists(file) && !Files.isRegularFile(file)) {
      throw new IOException(
          file
              + ": cannot be opened to write: "
              + (Files.isDirectory(file) ? "it is a directory" : "it is not a regular file"));
    }
    FileChannel channel;
    try {
      channel = PrivateFiles.open(file, StandardOpenOption.READ, StandardOpenOption.WRITE);
    } catch (FileSystemException e) {
      throw new IOException(file + ": cannot be opened to write: " + PrivateFiles.reason(e), e);
    }
    try {
      lock(file, channel);
    } catch (IOException | RuntimeException e) {
      channel.close();
      throw e;
    }
    return channel;
  }

  private static void lock(Path file, FileChannel channel) throws IOException {
    FileLock lock;
    try {
      lock = channel.tryLock();
    } catch (OverlappingFileLockException e) {
      lock = null;
    }
    if (lock == null) {
      throw new IOException(file + ": another txwatch writes to this file");
    }
  }

  /** Switches to {@code next} as the file being written. */
  private void begin(FileChannel next, @Nullable BiConsumer<Event, Origin> past)
      throws IOException {
    Event.Gap gap = null;
    long end = 0;
    if (next.size() > 0 || past != null) {
      Tail tail = past == null ? Tail.of(file, next) : readAll(next, past);
      if (tail.lostBytes() > 0) {
        next.truncate(tail.end());
        warnings.accept(
            file + ": cut off " + tail.lostBytes() + " bytes of a torn end and continues");
      }
      if (!tail.closedInOrder()) {
        gap =
            new Event.Gap(
                0,
                0,
                GapReason.TORN_RECORD,
                "an earlier writer was killed; " + tail.lostBytes() + " bytes of a record cut off",
                1);
      }
      end = tail.end();
    }
    next.position(end);
    channel = next;
    written = end;
    nextPartAt = maxBytes;
    identity = PrivateFiles.identity(file);
    identityCheckedNanos = System.nanoTime();
    startSegment();
    if (gap != null) {
      add(encoder.encode(gap));
      if (past != null) {
        past.accept(gap, Origin.NONE);
      }
    }
    write();
  }

  /**
   * Reads through the writer's own channel: closing another channel of the file would release its
   * lock.
   */
  private Tail readAll(FileChannel newest, BiConsumer<Event, Origin> past) throws IOException {
    List<Path> parts = HistoryParts.of(file);
    if (newest.size() == 0 && parts.size() == 1) {
      return new Tail(0, 0, true);
    }
    HistoryReader reader = HistoryReader.over(file, parts, newest);
    reader.forEach(
        event -> {
          noteSession(event);
          past.accept(event, reader.origin());
        });
    return new Tail(reader.end(), newest.size() - reader.end(), reader.closedInOrder());
  }

  private void noteSession(Event event) {
    if (event instanceof Event.SessionOpened opened && openSessions.size() < MAX_SESSIONS) {
      openSessions.put(opened.session(), opened);
    } else if (event instanceof Event.SessionClosed) {
      openSessions.remove(event.session());
    }
  }

  /** Sets the origin of the following events, until the next call. {@link Origin#NONE} ends it. */
  public synchronized void from(Origin whence) {
    if (!closed && !(whence.isNone() && origin.isNone())) {
      origin = whence;
      add(encoder.origin(whence));
    }
  }

  @Override
  public synchronized void accept(Event event) {
    if (closed) {
      lost++;
      return;
    }
    boolean areFirstValues = event instanceof Event.ValuesRecorded && !containsValues;
    containsValues |= areFirstValues;
    if (areFirstValues
        || encoder.isFull()
        || written + buffer.size() - segmentStart > MAX_SEGMENT_BYTES) {
      startSegment();
    }
    noteSession(event);
    ReverseProtobufBuffer entry;
    try {
      entry = encoder.encode(event);
    } catch (RuntimeException e) {
      // The dictionary may contain texts that the file does not: start a new segment.
      startSegment();
      throw e;
    }
    if (entry.size() > RecordFrame.MAX_BODY_BYTES) {
      startSegment();
      lost++;
      entry = encoder.encode(EventDecoder.gapOf(event, "a statement of more than 256 MiB"));
    }
    add(entry);
    origin = origin.next();
    events++;
    eventsBuffered++;
    if (buffer.size() >= BUFFER_BYTES || System.nanoTime() - flushedNanos > FLUSH_INTERVAL_NANOS) {
      flush();
    }
  }

  /** Writes the buffer to the file. Never throws: events that cannot be written are counted. */
  @Override
  public synchronized void flush() {
    flushedNanos = System.nanoTime();
    if (closed || buffer.size() == 0) {
      return;
    }
    try {
      write();
      if (unreportedLosses > 0) {
        long unreported = unreportedLosses;
        unreportedLosses = 0;
        Origin interrupted = origin;
        from(Origin.NONE);
        accept(new Event.Gap(0, 0, GapReason.OVERFLOW, "the history's file was full", unreported));
        from(interrupted);
      }
      if (written >= nextPartAt || isMoved()) {
        beginNextPart();
      }
    } catch (IOException e) {
      dropBuffered(e);
    }
  }

  /** The number of events that could not be written. */
  public synchronized long lost() {
    return lost;
  }

  /** Writes the buffer and the end record, and closes the file. Never throws. */
  @Override
  public synchronized void close() {
    if (closed) {
      return;
    }
    flush();
    try {
      add(encoder.closed(events));
      write();
    } catch (IOException e) {
      dropBuffered(e);
    }
    closed = true;
    try {
      channel.close();
    } catch (IOException e) {
      reportLoss(e);
    }
  }

  /** Starts a new file and renames the current one, unless it was moved or deleted. */
  private void beginNextPart() throws IOException {
    nextPartAt = written + maxBytes; // in case no file can be created
    boolean inPlace = isInPlace();
    FileChannel former = channel;
    add(encoder.closed(events));
    write();
    events = 0;
    FileChannel next;
    try {
      next = inPlace ? renameAndOpen() : openLocked(file);
    } catch (IOException e) {
      startSegment();
      if (!partFailureReported) {
        partFailureReported = true;
        warnings.accept(
            file
                + ": no new file can be created, this one is continued: "
                + PrivateFiles.reason(e));
      }
      return;
    }
    try {
      begin(next, null);
    } finally {
      (channel == next ? former : next).close();
    }
    if (!inPlace) {
      warnings.accept(file + ": was moved or deleted; a new file is begun");
    }
  }

  private FileChannel renameAndOpen() throws IOException {
    Path full = HistoryParts.next(file);
    Files.move(file, full);
    try {
      return openLocked(file);
    } catch (IOException | RuntimeException e) {
      Files.move(full, file);
      throw e;
    }
  }

  /** True if another program has moved or deleted the file; checked at intervals. */
  private boolean isMoved() {
    if (System.nanoTime() - identityCheckedNanos <= IDENTITY_CHECK_INTERVAL_NANOS) {
      return false;
    }
    identityCheckedNanos = System.nanoTime();
    return !isInPlace();
  }

  private boolean isInPlace() {
    return Objects.equals(identity, PrivateFiles.identity(file));
  }

  private void startSegment() {
    segmentStart = written + buffer.size();
    add(encoder.header(node, startMicros, containsValues));
    if (segmentStart == 0) {
      openSessions.values().forEach(opened -> add(encoder.encode(opened)));
    }
    if (!origin.isNone()) {
      add(encoder.origin(origin));
    }
  }

  private void add(ReverseProtobufBuffer entry) {
    buffer.add(entry);
  }

  private void write() throws IOException {
    if (channel.size() < written) {
      throw new IOException("another program has cut the file short");
    }
    ByteBuffer source = buffer.contents();
    while (source.hasRemaining()) {
      channel.write(source);
    }
    written += buffer.size();
    clearBuffer();
  }

  private void dropBuffered(IOException why) {
    reportLoss(why);
    lost += eventsBuffered;
    unreportedLosses += eventsBuffered;
    events -= eventsBuffered;
    clearBuffer();
    try {
      written = Math.min(written, channel.size());
      channel.truncate(written);
      channel.position(written);
    } catch (IOException e) {
      reportLoss(e);
    }
    startSegment();
  }

  private void clearBuffer() {
    buffer.clear();
    eventsBuffered = 0;
  }

  private void reportLoss(IOException e) {
    if (!lossReported) {
      lossReported = true;
      warnings.accept(file + ": events are lost: " + PrivateFiles.reason(e));
    }
  }

  /**
   * The end of an existing file.
   *
   * @param end the offset at which its last intact record ends
   * @param lostBytes the number of bytes after that offset
   * @param closedInOrder true if the last record is an end record and nothing follows it
   */
  private record Tail(long end, long lostBytes, boolean closedInOrder) {

    /** The number of bytes before the end that are read first. */
    private static final long FIRST_WINDOW_BYTES = 1 << 20;

    /** Reads the header, to verify the format, and as much of the end as is needed. */
    static Tail of(Path file, FileChannel channel) throws IOException {
      HistoryReader.over(file, List.of(file), channel);
      long size = channel.size();
      for (long length = FIRST_WINDOW_BYTES; ; length *= 4) {
        long from = Math.max(0, size - length);
        RecordScanner scanner = new RecordScanner(channel, from);
        long last = -1;
        while (scanner.advance()) {
          last = scanner.offset();
        }
        if (last >= 0) {
          boolean closed = scanner.end() == size && isClosed(channel, last);
          return new Tail(scanner.end(), size - scanner.end(), closed);
        } else if (from == 0) {
          return new Tail(0, size, false);
        }
      }
    }

    private static boolean isClosed(FileChannel channel, long at) throws IOException {
      RecordScanner scanner = new RecordScanner(channel, at);
      return scanner.advance() && Entry.parseFrom(scanner.body()).hasClosed();
    }
  }
}
