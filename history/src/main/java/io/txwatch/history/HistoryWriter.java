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
 * Appends events to a history's file. May block on the disk, so {@link QueueSink} stands before it.
 *
 * <p>Bytes wait in memory until there are 64 KiB of them, or a second has passed, or somebody
 * {@linkplain #flush flushes}. A process that is killed loses those; one that exits in order closes
 * the writer. What was flushed is the operating system's to keep: nothing here asks it to sync.
 *
 * <p>An existing file is continued: only its end is read, an incomplete last record is cut off and
 * reported with a {@link Event.Gap}, and a header begins a new stretch whose texts do not depend on
 * what stands before. Only one writer at a time has a file.
 *
 * <p>A file that has reached its maximum size is renamed and a new one begun ({@link
 * HistoryParts}). The new one begins with the sessions that are open, so that it can be read by
 * itself. If another program has moved or deleted the file, a new one is begun within a second.
 *
 * <p>If the disk refuses (it is full, say), the bytes that waited are dropped, the file is cut back
 * to its last whole record, and the writer tries again with the next ones; people are told once,
 * readers with a gap as soon as there is room. Safe for many threads, best used by one.
 */
public final class HistoryWriter implements EventSink, Flushable {

  /** The size in bytes at which a new file is begun, unless the user sets another one. */
  public static final long MAX_FILE_BYTES = 1L << 30;

  private static final int BUFFER_BYTES = 1 << 16;
  private static final long FLUSH_INTERVAL_NANOS = 1_000_000_000L;

  /** Bytes after which a new stretch begins: damage to a dictionary is not felt farther. */
  private static final long MAX_SEGMENT_BYTES = 1 << 24;

  /** How often it is checked that the file is still where it was. */
  private static final long IDENTITY_CHECK_INTERVAL_NANOS = 1_000_000_000L;

  /** Sessions that a new file begins with, at most. */
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

  /** Opens a file for this process, reporting troubles on standard error. */
  public static HistoryWriter open(Path file) throws IOException {
    return open(file, MAX_FILE_BYTES);
  }

  /** The same with a maximum size of the file, in bytes. */
  public static HistoryWriter open(Path file, long maxBytes) throws IOException {
    return open(
        file,
        "process " + ProcessHandle.current().pid(),
        maxBytes,
        line -> System.err.println("txwatch: " + line),
        null);
  }

  /**
   * Opens a file, a new one or one to continue.
   *
   * @param node who writes, for people
   * @param warnings takes a line for people when something is lost
   * @throws HistoryFormatException if the file exists and is no history; it stays as it is
   * @throws IOException if it cannot be written, or another writer has it
   */
  public static HistoryWriter open(Path file, String node, Consumer<String> warnings)
      throws IOException {
    return open(file, node, MAX_FILE_BYTES, warnings, null);
  }

  /**
   * Opens a file, a new one or one to continue, and reads what the history holds already, all its
   * {@linkplain HistoryParts parts}.
   *
   * @param maxBytes the size of a file at which the next one is begun
   * @param past takes each event of the history, and its origin, before this returns
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

  /** The same with a maximum size of the file, in bytes. */
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

  /** Makes {@code next} the file that is written. */
  private void begin(FileChannel next, @Nullable BiConsumer<Event, Origin> past)
      throws IOException {
    Event.Gap gap = null;
    long end = 0;
    if (next.size() > 0 || past != null) {
      Tail tail = past == null ? Tail.of(file, next) : readAll(next, past);
      if (tail.lostBytes() > 0) {
        next.truncate(tail.end());
        warnings.accept(
            file + ": cut off " + tail.lostBytes() + " bytes of a torn end and goes on");
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

  /** Reads by the writer's own channel: closing another one would let go of the file's lock. */
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

  /** Notes from whom the next events come; until the next call, or {@link Origin#NONE}. */
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
    if (encoder.isFull() || written + buffer.size() - segmentStart > MAX_SEGMENT_BYTES) {
      startSegment();
    }
    noteSession(event);
    ReverseProtobufBuffer entry;
    try {
      entry = encoder.encode(event);
    } catch (RuntimeException e) {
      // Texts may have got into the dictionary that will not be in the file: begin anew.
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

  /** Hands what is buffered to the operating system. Never throws: what it refuses is counted. */
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

  /** How many events could not be written. */
  public synchronized long lost() {
    return lost;
  }

  /** Writes what is buffered, says that the file ends in order, and lets it go. Never throws. */
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

  /** Begins a new file; the one so far is renamed if it is still in its place. */
  private void beginNextPart() throws IOException {
    nextPartAt = written + maxBytes; // if no file can be begun
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
            file + ": no new file can be begun, this one goes on: " + PrivateFiles.reason(e));
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

  /** Checks now and then whether another program has moved or deleted the file. */
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
    add(encoder.header(node, startMicros));
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
   * How a file that is there already ends.
   *
   * @param end where its last intact record ends
   * @param lostBytes what stands behind that
   * @param closedInOrder true if the last record says so, and nothing stands behind it
   */
  private record Tail(long end, long lostBytes, boolean closedInOrder) {

    /** How many bytes before the end are read first. */
    private static final long FIRST_WINDOW_BYTES = 1 << 20;

    /** Reads the beginning, to see that it is a history, and as much of the end as it takes. */
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
