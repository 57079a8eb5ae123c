package io.txwatch.serve;

import io.txwatch.anomaly.Anomaly;
import io.txwatch.baseline.Baseline;
import io.txwatch.dependency.Granularity;
import io.txwatch.guarantee.Judge;
import io.txwatch.history.HistoryWriter;
import io.txwatch.link.Address;
import io.txwatch.stale.Across;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.TimeUnit;

/** A server in a process of its own, that can be killed. It ends in order when its input does. */
final class ServerProcess implements AutoCloseable {

  private final Process process;
  private final Thread reader;
  final Set<String> found = Collections.synchronizedSet(new TreeSet<>());
  final List<String> lines = Collections.synchronizedList(new ArrayList<>());

  private ServerProcess(Process process) {
    this.process = process;
    this.reader = new Thread(this::read);
    reader.start();
  }

  /**
   * Starts one, and waits until it listens.
   *
   * @param kibibytes the longest that a file may become; 0 for any length
   */
  static ServerProcess start(int port, Path history, int kibibytes) throws Exception {
    List<String> command = new ArrayList<>();
    if (kibibytes > 0) {
      command.addAll(List.of("bash", "-c", "ulimit -f " + kibibytes + "; exec \"$@\"", "limited"));
    }
    command.addAll(
        List.of(
            Path.of(System.getProperty("java.home"), "bin", "java").toString(),
            "-XX:-UsePerfData",
            "-XX:TieredStopAtLevel=1",
            "-Xshare:auto",
            "-cp",
            System.getProperty("java.class.path"),
            ServerProcess.class.getName(),
            String.valueOf(port),
            history.toString()));
    ServerProcess server =
        new ServerProcess(new ProcessBuilder(command).redirectErrorStream(true).start());
    server.await("listens");
    return server;
  }

  private void read() {
    try (BufferedReader in =
        new BufferedReader(
            new InputStreamReader(process.getInputStream(), StandardCharsets.UTF_8))) {
      for (String line = in.readLine(); line != null; line = in.readLine()) {
        if (line.startsWith("FOUND ")) {
          found.add(line.substring("FOUND ".length()));
        } else {
          lines.add(line);
        }
      }
    } catch (IOException e) {
      lines.add(e.toString());
    }
  }

  /** OperationWaits for a line that has this part. */
  void await(String part) throws InterruptedException {
    for (int i = 0; !List.copyOf(lines).stream().anyMatch(line -> line.contains(part)); i++) {
      if (i == 3_000 || !reader.isAlive()) {
        throw new AssertionError("expected " + part + ", found " + lines);
      }
      Thread.sleep(10);
    }
  }

  /** OperationWaits until it, and those before it, have found all that. */
  void awaitFound(Set<String> expected, Set<String> before) throws InterruptedException {
    Set<String> missing = new TreeSet<>(expected);
    missing.removeAll(before);
    for (int i = 0; !found.containsAll(missing); i++) {
      if (i == 3_000) {
        missing.removeAll(found);
        throw new AssertionError("not found: " + missing);
      }
      Thread.sleep(10);
    }
  }

  /** Kills it as the OOM killer would. The output so far is still read. */
  void kill() throws InterruptedException {
    process.toHandle().destroyForcibly(); // Process::destroyForcibly closes the pipe, unread
    process.waitFor(20, TimeUnit.SECONDS);
    reader.join(20_000);
  }

  /** Has it end in order. */
  @Override
  public void close() throws IOException, InterruptedException {
    process.getOutputStream().close();
    if (!process.waitFor(20, TimeUnit.SECONDS)) {
      process.destroyForcibly();
      throw new AssertionError("the server does not end: " + lines);
    }
    reader.join(20_000);
  }

  public static void main(String[] args) throws Exception {
    ServerListener listener =
        new ServerListener() {
          @Override
          public void found(Anomaly anomaly, boolean replayed) {
            if (!replayed) {
              System.out.println("FOUND " + TestServer.phenomena(List.of(anomaly)).get(0));
            }
          }

          @Override
          public void log(String line) {
            System.out.println(line);
          }
        };
    try (AnalysisServer server =
        AnalysisServer.open(
            new ServerOptions(
                new Address(false, "127.0.0.1", Integer.parseInt(args[0])),
                Optional.empty(),
                TestServer.TOKEN,
                Optional.of(Path.of(args[1])),
                HistoryWriter.MAX_FILE_BYTES,
                Judge.DBMS,
                Granularity.DEFAULT,
                Across.OFF,
                Baseline.NONE,
                ServerOptions.GRACE,
                Duration.ofSeconds(10),
                64 << 20),
            listener)) {
      System.out.println("listens");
      while (System.in.read() >= 0) {
        Thread.onSpinWait();
      }
      System.out.println(server.status().json());
    }
  }
}
