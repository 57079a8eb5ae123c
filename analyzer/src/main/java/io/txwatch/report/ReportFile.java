package io.txwatch.report;

import io.txwatch.anomaly.Anomaly;
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
 * The file of anomalies: a line of JSON each, written as they are found. A thread of its own opens
 * and writes the file, because both can block for ever (a named pipe without a reader, a file
 * system that does not answer): neither the application nor the analysis waits for it.
 *
 * <p>A line that cannot be written, or for which there is no room while the file blocks, is
 * dropped. That is reported once, and at the end how many. A line is written whole or not at all.
 * If another program has moved or deleted the file, the next line begins a new one.
 */
public final class ReportFile {

  /** Characters that may wait to be written. */
  private static final long MAX_WAITING_CHARACTERS = 1 << 22;

  private static final long CLOSE_TIMEOUT_MILLIS = 2_000;

  /** Stands behind the last line. */
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

  /** Of the thread that writes. */
  private @Nullable Object identity;

  private ReportFile(String name, Consumer<String> warnings) {
    this.name = name;
    this.warnings = warnings;
    this.thread = new Thread(null, this::run, "txwatch-report", 0, false);
    thread.setDaemon(true);
    // Not the application's: a web application that is unloaded must not be held by this thread.
    thread.setContextClassLoader(ReportFile.class.getClassLoader());
  }

  /**
   * Begins to open a file to append to, with the directories above it; does not wait for it.
   *
   * @param warnings takes a line for people, from any thread
   */
  public static ReportFile append(String name, Consumer<String> warnings) {
    ReportFile file = new ReportFile(name, warnings);
    file.thread.start();
    return file;
  }

  /** Why the file cannot be opened, as far as that is known within the time; empty otherwise. */
  public Optional<String> openFailure(Duration within) throws InterruptedException {
    boolean known = opened.await(within.toMillis(), TimeUnit.MILLISECONDS);
    return known ? Optional.ofNullable(openFailure) : Optional.empty();
  }

  /** Writes a line. Does not block. */
  public void write(Anomaly anomaly) {
    writeLine(JsonReport.anomaly(anomaly));
  }

  /** Writes a line that takes a suspicion back. Does not block. */
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

  /** Waits two seconds at most until all lines are written, and lets the file go. */
  public void close() {
    lines.add(END);
    try {
      thread.join(CLOSE_TIMEOUT_MILLIS);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
    closed = true; // if the file has blocked until now, nothing more is written
    long missing = dropped.get() + lines.stream().filter(line -> !line.equals(END)).count();
    if (missing > 0) {
      warnings.accept(name + ": " + missing + " anomalies are missing in this file");
    }
    closeChannel(); // ends a write that blocks
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

  /** Writes a line; cuts off again what a full disk took of it. */
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
