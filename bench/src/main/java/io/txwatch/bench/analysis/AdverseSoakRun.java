package io.txwatch.bench.analysis;

import io.txwatch.bench.JdkProcess;
import io.txwatch.bench.Output;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/** One run of {@link AdverseSoakCommand}: the application, the shared analyzer, and samples. */
final class AdverseSoakRun {
  static final int SAMPLES = 100;
  static final int KILLED_AT_SAMPLE = 40;
  static final int RESTARTED_AT_SAMPLE = 50;

  private static final String HEAP_OPTION = "-Xmx128m";
  private static final int SAMPLES_PER_ROW = 10;
  private static final double MEGA = 1e6;

  /**
   * The files and faults of a run.
   *
   * @param directory for the output of the processes
   * @param disk a small file system for the history; null if it cannot be mounted
   * @param namedPipe for the report, without a reader; null if it cannot be created
   */
  record Environment(Path directory, @Nullable Path disk, @Nullable Path namedPipe) {}

  /**
   * How a run ended.
   *
   * @param end the last line of the application; empty if it did not finish
   * @param exitCode of the application
   * @param isServerAlive true if the shared analyzer was running at the end
   * @param errors the errors that the application had observed at the last sample
   */
  record Result(String end, int exitCode, boolean isServerAlive, long errors) {

    /** True if the application finished without an error. */
    boolean isSuccess() {
      return !end.isEmpty() && exitCode == 0 && errors == 0;
    }
  }

  /** A sample that the application printed. */
  private record Sample(
      long operations, double seconds, long heap, long errors, long longestMillis) {
    static Sample of(String line) {
      String[] parts = line.split(" ");
      return new Sample(
          Long.parseLong(parts[1]),
          Double.parseDouble(parts[2]),
          Long.parseLong(parts[3]),
          Long.parseLong(parts[4]),
          Long.parseLong(parts[5]));
    }

    double operationsPerSecondSince(Sample before) {
      return (operations - before.operations) / (seconds - before.seconds);
    }
  }

  private final Environment environment;
  private final Path jar;
  private final Output output;
  private final int port = freePort();
  private final List<double[]> applicationHeap = new ArrayList<>();
  private final List<double[]> serverHeap = new ArrayList<>();
  private final List<double[]> throughput = new ArrayList<>();
  private final StringBuilder rows = new StringBuilder();
  private Process server;
  private int samples;
  private Sample last = new Sample(0, 0, 0, 0, 0);
  private Sample atRow = last;
  private long longestMillis;

  AdverseSoakRun(Environment environment, Path jar, Output output) throws IOException {
    this.environment = environment;
    this.jar = jar;
    this.output = output;
    this.server = startServer();
  }

  /** Runs the application to its end. */
  Result run(long operations) throws IOException, InterruptedException {
    Process application = startApplication(operations);
    try (BufferedReader lines =
        new BufferedReader(
            new InputStreamReader(application.getInputStream(), StandardCharsets.UTF_8))) {
      String end = "";
      for (String line = lines.readLine(); line != null; line = lines.readLine()) {
        if (line.startsWith(AdverseApplication.END)) {
          end = line;
        } else if (line.startsWith(AdverseApplication.SAMPLE)) {
          sampled(line);
        }
      }
      application.waitFor();
      boolean isServerAlive = server.isAlive();
      server.destroy();
      server.waitFor(30, TimeUnit.SECONDS);
      return new Result(end, application.exitValue(), isServerAlive, last.errors());
    } finally {
      application.destroyForcibly();
      server.destroyForcibly();
    }
  }

  private Process startApplication(long operations) throws IOException {
    String common = "jdbc:txwatch:h2:mem:soak;DB_CLOSE_DELAY=-1;txwatch.prepare=auto";
    String inProcess =
        common
            + (environment.disk() == null
                ? ""
                : ";txwatch.history=" + environment.disk().resolve("history"))
            + (environment.namedPipe() == null ? "" : ";txwatch.report=" + environment.namedPipe());
    String overTcp = common + ";txwatch.analyzer=tcp://127.0.0.1:" + port;
    List<String> arguments =
        List.of(Long.toString(operations), Integer.toString(SAMPLES), inProcess, overTcp);
    return new ProcessBuilder(
            JdkProcess.ofClass(List.of(HEAP_OPTION), AdverseApplication.class, arguments))
        .redirectError(applicationErrors().toFile())
        .start();
  }

  private Process startServer() throws IOException {
    List<String> arguments = List.of("serve", "--listen", "127.0.0.1:" + port, "--http", "none");
    return new ProcessBuilder(JdkProcess.ofJar(List.of(HEAP_OPTION), jar, arguments))
        .redirectOutput(ProcessBuilder.Redirect.DISCARD)
        .redirectError(ProcessBuilder.Redirect.appendTo(serverErrors().toFile()))
        .start();
  }

  private void sampled(String line) throws IOException, InterruptedException {
    Sample sample = Sample.of(line);
    double millions = sample.operations() / MEGA;
    applicationHeap.add(new double[] {millions, sample.heap() / MEGA});
    throughput.add(new double[] {millions, sample.operationsPerSecondSince(last) / 1e3});
    last = sample;
    longestMillis = Math.max(longestMillis, sample.longestMillis());
    samples++;
    if (samples == KILLED_AT_SAMPLE) {
      server.destroyForcibly().waitFor();
      output.progress("the shared analyzer was killed");
    } else if (samples == RESTARTED_AT_SAMPLE) {
      server = startServer();
      output.progress("the shared analyzer was started again");
    }
    if (samples % SAMPLES_PER_ROW == 0) {
      addRow(sample);
      output.progress(line);
    }
  }

  private void addRow(Sample sample) throws IOException, InterruptedException {
    double serverMegabytes = liveHeapMegabytes(server);
    if (serverMegabytes > 0) {
      serverHeap.add(new double[] {sample.operations() / MEGA, serverMegabytes});
    }
    rows.append(
        String.format(
            Locale.ROOT,
            "| %.1f | %,.0f | %.1f | %s | %,d | %d | %s |%n",
            sample.operations() / MEGA,
            sample.operationsPerSecondSince(atRow),
            sample.heap() / MEGA,
            serverMegabytes > 0 ? String.format(Locale.ROOT, "%.1f", serverMegabytes) : "killed",
            longestMillis,
            sample.errors(),
            event()));
    atRow = sample;
    longestMillis = 0;
  }

  private String event() {
    return switch (samples) {
      case KILLED_AT_SAMPLE -> "analyzer killed";
      case RESTARTED_AT_SAMPLE -> "analyzer started again";
      default -> "";
    };
  }

  /** The live heap of a process in MB after a full collection; 0 if it is not available. */
  private static double liveHeapMegabytes(Process process)
      throws IOException, InterruptedException {
    Path jcmd = JdkProcess.program("jcmd");
    if (!process.isAlive() || !Files.exists(jcmd)) {
      return 0;
    }
    Process histogram =
        new ProcessBuilder(jcmd.toString(), Long.toString(process.pid()), "GC.class_histogram")
            .redirectErrorStream(true)
            .start();
    double megabytes = 0;
    try (BufferedReader lines =
        new BufferedReader(
            new InputStreamReader(histogram.getInputStream(), StandardCharsets.UTF_8))) {
      for (String line = lines.readLine(); line != null; line = lines.readLine()) {
        if (line.startsWith("Total")) {
          megabytes = Long.parseLong(line.strip().split("\\s+")[2]) / MEGA;
        }
      }
    }
    histogram.waitFor();
    return megabytes;
  }

  private static int freePort() {
    try (ServerSocket socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      return socket.getLocalPort();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** The rows of the table of samples. */
  String rows() {
    return rows.toString();
  }

  List<double[]> applicationHeap() {
    return applicationHeap;
  }

  List<double[]> serverHeap() {
    return serverHeap;
  }

  /** Thousands of operations per second. */
  List<double[]> throughput() {
    return throughput;
  }

  /** The standard error of the application. */
  Path applicationErrors() {
    return environment.directory().resolve("stderr");
  }

  /** The standard error of the shared analyzer. */
  Path serverErrors() {
    return environment.directory().resolve("serve.stderr");
  }
}
