package io.txwatch.history;

import java.io.Flushable;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.channels.OverlappingFileLockException;
import java.nio.file.FileSystemException;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.function.BiConsumer;
import java.util.function.Consumer;

/**
 * Appends events to a history's file. May block on the disk, so {@link QueueSink} stands before it.
 *
 * <p>Bytes wait in memory until there are 64 KiB of them, or a second has passed, or somebody
 * {@linkplain #flush flushes}. A process that is killed loses those; one that exits in order closes
 * the writer. What was flushed is the operating system's to keep: nothing here asks it to sync.
 *
 * <p>A file that is there already goes on: its torn end, if it has one, is cut off and told with a
 * {@link Event.Gap}. Only one writer at a time has a file.
 *
 * <p>If the disk refuses (it is full, say), the bytes that waited are dropped, the file is cut back
 * to its last whole record, and the writer tries again with the next ones; people are told once,
 * readers with a gap as soon as there is room. Safe for many threads, best used by one.
 */
public final class HistoryWriter implements EventSink, Flushable {

  private static final int BUFFER = 1 << 16;
  private static final long FLUSH_NANOS = 1_000_000_000L;

  /** Bytes after which a new stretch begins: damage to a dictionary is not felt farther. */
  private static final long STRETCH = 1 << 24;

  private final Path file;
  private final FileChannel channel;
  private final Consumer<String> complaints;
  private final String node;
  private final long startMicros;
  private final EventEncoder encoder = new EventEncoder();

  private final RecordBuffer buffer = new RecordBuffer(BUFFER);
  private Origin origin = Origin.NOBODY;
  private long eventsBuffered;
  private long written;
  private long stretchAt;
  private long flushedNanos = System.nanoTime();
  private long events;
  private long lost;
  private long lostUntold;
  private boolean complained;
  private boolean closed;

  private HistoryWriter(Path file, FileChannel channel, String node, Consumer<String> complaints) {
    this.file = file;
    this.channel = channel;
    this.node = node;
    this.complaints = complaints;
    this.startMicros = System.currentTimeMillis() * 1000;
  }

  /** Opens a file for this process, telling troubles on standard error. */
  public static HistoryWriter open(Path file) throws IOException {
    return open(
        file,
        "process " + ProcessHandle.current().pid(),
        line -> System.err.println("txwatch: " + line));
  }

  /**
   * Opens a file, a new one or one to go on with.
   *
   * @param node who writes, for people
   * @param complaints takes a line for people when something is lost
   * @throws HistoryFormatException if the file is there and is no history; it stays as it is
   * @throws IOException if it cannot be written, or another writer has it
   */
  public static HistoryWriter open(Path file, String node, Consumer<String> complaints)
      throws IOException {
    return resume(file, node, complaints, (event, origin) -> {});
  }

  /**
   * Opens a file, a new one or one to go on with, and hands on what it holds already.
   *
   * @param past takes each event of the file, and whence it came, before this returns
   */
  public static HistoryWriter resume(
      Path file, String node, Consumer<String> complaints, BiConsumer<Event, Origin> past)
      throws IOException {
    FileChannel channel;
    try {
      channel =
          FileChannel.open(
              file, StandardOpenOption.CREATE, StandardOpenOption.READ, StandardOpenOption.WRITE);
    } catch (FileSystemException e) {
      throw new IOException(file + ": cannot be opened to write: " + reason(e), e);
    }
    try {
      lock(file, channel);
      HistoryWriter writer = new HistoryWriter(file, channel, node, complaints);
      writer.begin(past);
      return writer;
    } catch (IOException | RuntimeException e) {
      channel.close();
      throw e;
    }
  }

  private static String reason(FileSystemException e) {
    if (e instanceof NoSuchFileException) {
      return "there is no such directory";
    }
    String reason = e.getReason();
    return reason == null ? "no right to" : reason;
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

  private void begin(BiConsumer<Event, Origin> past) throws IOException {
    Event.Gap gap = null;
    if (channel.size() > 0) {
      Tail tail = Tail.of(file, channel, past);
      if (tail.lostBytes() > 0) {
        channel.truncate(tail.end());
        complaints.accept(
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
      written = tail.end();
    }
    channel.position(written);
    startStretch();
    if (gap != null) {
      add(encoder.encode(gap));
      past.accept(gap, Origin.NOBODY);
    }
    write();
  }

  /** Notes from whom the next events come; until the next call, or {@link Origin#NOBODY}. */
  public synchronized void from(Origin whence) {
    if (!closed && !(whence.isNobody() && origin.isNobody())) {
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
    if (encoder.isFull() || written + buffer.size() - stretchAt > STRETCH) {
      startStretch();
    }
    BackwardBytes entry;
    try {
      entry = encoder.encode(event);
    } catch (RuntimeException e) {
      // Texts may have got into the dictionary that will not be in the file: begin anew.
      startStretch();
      throw e;
    }
    if (entry.size() > RecordFrame.MAX_BODY) {
      startStretch();
      lost++;
      entry = encoder.encode(EventDecoder.gapOf(event, "a statement of more than 256 MiB"));
    }
    add(entry);
    origin = origin.next();
    events++;
    eventsBuffered++;
    if (buffer.size() >= BUFFER || System.nanoTime() - flushedNanos > FLUSH_NANOS) {
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
      if (lostUntold > 0) {
        long untold = lostUntold;
        lostUntold = 0;
        Origin interrupted = origin;
        from(Origin.NOBODY);
        accept(new Event.Gap(0, 0, GapReason.OVERFLOW, "the history's file was full", untold));
        from(interrupted);
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
      complain(e);
    }
  }

  private void startStretch() {
    stretchAt = written + buffer.size();
    add(encoder.header(node, startMicros));
    if (!origin.isNobody()) {
      add(encoder.origin(origin));
    }
  }

  private void add(BackwardBytes entry) {
    buffer.add(entry);
  }

  private void write() throws IOException {
    ByteBuffer source = buffer.contents();
    while (source.hasRemaining()) {
      channel.write(source);
    }
    written += buffer.size();
    forgetBuffered();
  }

  private void dropBuffered(IOException why) {
    complain(why);
    lost += eventsBuffered;
    lostUntold += eventsBuffered;
    events -= eventsBuffered;
    forgetBuffered();
    try {
      channel.truncate(written);
      channel.position(written);
    } catch (IOException e) {
      complain(e);
    }
    startStretch();
  }

  private void forgetBuffered() {
    buffer.clear();
    eventsBuffered = 0;
  }

  private void complain(IOException e) {
    if (!complained) {
      complained = true;
      complaints.accept(file + ": events are lost: " + e.getMessage());
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

    /** Reads by the writer's own channel: closing another one would let go of the file's lock. */
    static Tail of(Path file, FileChannel channel, BiConsumer<Event, Origin> past)
        throws IOException {
      long size = channel.size();
      HistoryReader reader = HistoryReader.over(file, channel);
      reader.forEach(event -> past.accept(event, reader.origin()));
      return new Tail(reader.end(), size - reader.end(), reader.closedInOrder());
    }
  }
}
