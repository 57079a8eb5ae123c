package io.txwatch.report;

import io.txwatch.anomaly.Anomaly;
import io.txwatch.history.BackgroundThreads;
import io.txwatch.history.PrivateFiles;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Writes anomalies to a file as they are found, one line of JSON each. A separate thread opens and
 * writes the file, because both can block forever (a named pipe without a reader, a file system
 * that does not respond). Neither the application nor the analysis waits for it.
 *
 * <p>A line that cannot be written, or that does not fit while the file blocks, is dropped. The
 * first drop is reported, and the end reports their number. A line is written completely or not at
 * all. If another program moves or deletes the file, the next line creates a new one.
 */
public final class ReportFile {

  private static final long MAX_WAITING_CHARACTERS = 1 << 22;

  private static final long CLOSE_TIMEOUT_MILLIS = 2_000;

  /** Marks the end of the queue. */
  private static final String END = "";

  private final String name;
  private final Consumer<String> warnings;
  private final BlockingQueue<String> lines = new LinkedBlockingQueue<>();
  private final AtomicLong waitingCharacters = new AtomicLong();
  private final AtomicLong dropped = new AtomicLong();
  private final CountDownLatch opened = new CountDownLatch(1);
  private final Thread thread;
  private volatile @Nullable String openFailure;
  private volatile @Nullable FileChannel channel;
  private volatile boolean warned;
  private volatile boolean closed;

  /** Confined to the writing thread. */
  private @Nullable Object identity;

  private ReportFile(String name, Consumer<String> warnings) {
    this.name = name;
    this.warnings = warnings;
    this.thread = BackgroundThreads.create("txwatch-report", this::run);
  }

  /**
   * Starts to open a file for appending, creating its directories; does not wait for it.
   *
   * @param warnings receives warnings, one line each, from any thread
   */
  public static ReportFile append(String name, Consumer<String> warnings) {
    ReportFile file = new ReportFile(name, warnings);
    file.thread.start();
    return file;
  }

  /** The reason why the file cannot be opened, if known within the time; empty otherwise. */
  public Optional<String> openFailure(Duration within) throws InterruptedException {
    boolean known = opened.await(within.toMillis(), TimeUnit.MILLISECONDS);
    return known ? Optional.ofNullable(openFailure) : Optional.empty();
  }

  /** Writes an anomaly. Does not block. */
  public void write(Anomaly anomaly) {
    writeLine(JsonReport.anomaly(anomaly));
  }

  /** Writes the withdrawal of a suspected anomaly. Does not block. */
  public void withdraw(Anomaly anomaly) {
    writeLine(JsonReport.withdrawn(anomaly));
  }

  void writeLine(String line) {
    if (waitingCharacters.addAndGet(line.length()) > MAX_WAITING_CHARACTERS) {
      waitingCharacters.addAndGet(-line.length());
      drop("it does not take what is written to it");
    } else {
      lines.add(line);
    }
  }

  /** OperationWaits at most two seconds until all lines are written, and closes the file. */
  public void close() {
    lines.add(END);
    try {
      thread.join(CLOSE_TIMEOUT_MILLIS);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
    closed = true; // if the file still blocks, nothing more is written
    long missing = dropped.get() + lines.stream().filter(line -> !line.equals(END)).count();
    if (missing > 0) {
      warnings.accept(name + ": " + missing + " anomalies are missing in this file");
    }
    closeChannel(); // interrupts a write that blocks
  }

  /** True as long as the file is open, or blocks its thread. */
  public boolean isOpen() {
    return thread.isAlive();
  }

  private void run() {
    try {
      Path path = Path.of(name).toAbsolutePath();
      open(path);
      opened.countDown();
      for (String line = lines.take(); !line.equals(END) && !closed; line = lines.take()) {
        writeOrDrop(path, line);
        waitingCharacters.addAndGet(-line.length());
      }
      closeChannel();
    } catch (IOException | InvalidPathException e) {
      openFailure =
          "txwatch.report: cannot write "
              + name
              + ": "
              + (e instanceof IOException io ? PrivateFiles.reason(io) : "not a file's name");
      opened.countDown();
      warnings.accept(openFailure);
      warned = true;
      dropAll();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  private void dropAll() {
    try {
      for (String line = lines.take(); !line.equals(END); line = lines.take()) {
        waitingCharacters.addAndGet(-line.length());
        dropped.incrementAndGet();
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  private FileChannel open(Path path) throws IOException {
    Path directory = path.getParent();
    if (directory != null && !Files.isDirectory(directory)) {
      Files.createDirectories(directory);
    }
    FileChannel next = PrivateFiles.open(path, StandardOpenOption.APPEND);
    closeChannel();
    channel = next;
    identity = PrivateFiles.identity(path);
    return next;
  }

  private void writeOrDrop(Path path, String line) {
    try {
      FileChannel open = channel;
      if (open == null || !Objects.equals(identity, PrivateFiles.identity(path))) {
        open = open(path);
      }
      append(open, ByteBuffer.wrap((line + "\n").getBytes(StandardCharsets.UTF_8)));
    } catch (IOException e) {
      drop(PrivateFiles.reason(e));
    }
  }

  /** Writes a line; truncates a line that a full disk accepted in part. */
  private static void append(FileChannel to, ByteBuffer line) throws IOException {
    long before = to.size();
    try {
      while (line.hasRemaining()) {
        to.write(line);
      }
    } catch (IOException e) {
      if (to.isOpen() && line.position() > 0 && to.size() == before + line.position()) {
        to.truncate(before);
      }
      throw e;
    }
  }

  private void drop(String reason) {
    dropped.incrementAndGet();
    if (!warned) {
      warned = true;
      warnings.accept("cannot write " + name + ", anomalies are missing in it: " + reason);
    }
  }

  private void closeChannel() {
    FileChannel open = channel;
    channel = null;
    if (open != null) {
      try {
        open.close();
      } catch (IOException e) {
        drop(PrivateFiles.reason(e));
      }
    }
  }
}
