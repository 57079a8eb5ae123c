package io.txwatch.bench.analysis;

import io.txwatch.bench.Machine;
import io.txwatch.bench.Output;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.Callable;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code soak-adverse}: an application with a heap of 128 MB under several faults at once. */
@Command(
    name = "soak-adverse",
    description = {
      "Runs an application in 128 MB with idle transactions, a full disk under its history, a report",
      "that nobody reads, and an analyzer that is killed; plots its heap and its throughput."
    },
    mixinStandardHelpOptions = true,
    showDefaultValues = true)
public final class AdverseSoakCommand implements Callable<Integer> {

  private static final String HEAP_OPTION = "-Xmx128m";
  private static final int SAMPLES = 100;
  private static final int SAMPLES_PER_ROW = 10;
  private static final int KILLED_AT_SAMPLE = 40;
  private static final int RESTARTED_AT_SAMPLE = 50;
  private static final String TMPFS_SIZE = "size=4m";
  private static final double MEGA = 1e6;
  private static final Pattern COVERED =
      Pattern.compile("^not seen| [A-Z_]{5,}: |^ *[0-9,]+ writes:");

  @Parameters(
      arity = "0..1",
      paramLabel = "N",
      description = "how many operations",
      defaultValue = "5000000")
  private long operations = 5_000_000;

  @Option(names = "--jar", description = "txwatch.jar", required = true)
  private Path jar = Path.of("txwatch.jar");

  @Option(names = "--plot", description = "write the plots here: NAME-heap.svg, NAME-rate.svg")
  private @Nullable Path plot;

  @Mixin private Output output = new Output();

  private final List<double[]> applicationHeap = new ArrayList<>();
  private final List<double[]> serverHeap = new ArrayList<>();
  private final List<double[]> rate = new ArrayList<>();
  private final StringBuilder rows = new StringBuilder();

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
  }

  @Override
  public Integer call() throws Exception {
    Path directory = Files.createTempDirectory("txwatch-soak");
    Path disk = Files.createDirectory(directory.resolve("disk"));
    Path namedPipe = directory.resolve("report");
    boolean mounted = succeeds("mount", "-t", "tmpfs", "-o", TMPFS_SIZE, "tmpfs", disk.toString());
    boolean named = succeeds("mkfifo", namedPipe.toString());
    if (!mounted) {
      output.progress("no full disk: a tmpfs of 4 MB cannot be mounted here (it takes root)");
    }
    if (!named) {
      output.progress("no named pipe: mkfifo does not work here");
    }
    try {
      return run(directory, mounted ? disk : null, named ? namedPipe : null);
    } finally {
      if (mounted) {
        succeeds("umount", disk.toString());
      }
      try (Stream<Path> files = Files.walk(directory)) {
        for (Path file : files.sorted(Comparator.reverseOrder()).toList()) {
          Files.delete(file);
        }
      }
    }
  }

  private int run(Path directory, @Nullable Path disk, @Nullable Path namedPipe)
      throws IOException, InterruptedException {
    int port = freePort();
    String common = "jdbc:txwatch:h2:mem:soak;DB_CLOSE_DELAY=-1;txwatch.prepare=auto";
    String inProcess =
        common
            + (disk == null ? "" : ";txwatch.history=" + disk.resolve("history"))
            + (namedPipe == null ? "" : ";txwatch.report=" + namedPipe);
    String overTcp = common + ";txwatch.analyzer=tcp://127.0.0.1:" + port;
    Path printed = directory.resolve("stderr");
    Process server = serve(port, directory);
    Process application =
        new ProcessBuilder(
                java(),
                HEAP_OPTION,
                "-cp",
                System.getProperty("java.class.path"),
                AdverseApplication.class.getName(),
                Long.toString(operations),
                Integer.toString(SAMPLES),
                inProcess,
                overTcp)
            .redirectError(printed.toFile())
            .start();
    Sample last = new Sample(0, 0, 0, 0, 0);
    Sample atRow = last;
    long longest = 0;
    String end = "";
    try (BufferedReader answers =
        new BufferedReader(
            new InputStreamReader(application.getInputStream(), StandardCharsets.UTF_8))) {
      int number = 0;
      for (String line = answers.readLine(); line != null; line = answers.readLine()) {
        if (line.startsWith(AdverseApplication.END)) {
          end = line;
        }
        if (!line.startsWith(AdverseApplication.SAMPLE)) {
          continue;
        }
        number++;
        Sample sample = Sample.of(line);
        double millions = sample.operations() / MEGA;
        applicationHeap.add(new double[] {millions, sample.heap() / MEGA});
        rate.add(
            new double[] {
              millions,
              (sample.operations() - last.operations()) / (sample.seconds() - last.seconds()) / 1e3
            });
        last = sample;
        longest = Math.max(longest, sample.longestMillis());
        if (number == KILLED_AT_SAMPLE) {
          server.destroyForcibly().waitFor();
          output.progress("the shared analyzer was killed");
        } else if (number == RESTARTED_AT_SAMPLE) {
          server = serve(port, directory);
          output.progress("the shared analyzer was started again");
        }
        if (number % SAMPLES_PER_ROW == 0) {
          row(atRow, sample, longest, liveHeapMegabytes(server), number);
          atRow = sample;
          longest = 0;
          output.progress(line);
        }
      }
      application.waitFor();
      int code = application.exitValue();
      boolean alive = server.isAlive();
      server.destroy();
      server.waitFor(30, TimeUnit.SECONDS);
      write(disk != null, namedPipe != null, end, code, alive, printed, directory);
      return end.isEmpty() || code != 0 || last.errors() > 0 ? 1 : 0;
    } finally {
      application.destroyForcibly();
      server.destroyForcibly();
    }
  }

  private void row(Sample before, Sample now, long longest, double serverMb, int number) {
    if (serverMb > 0) {
      serverHeap.add(new double[] {now.operations() / MEGA, serverMb});
    }
    rows.append(
        String.format(
            Locale.ROOT,
            "| %.1f | %,.0f | %.1f | %s | %,d | %d | %s |%n",
            now.operations() / MEGA,
            (now.operations() - before.operations()) / (now.seconds() - before.seconds()),
            now.heap() / MEGA,
            serverMb > 0 ? String.format(Locale.ROOT, "%.1f", serverMb) : "killed",
            longest,
            now.errors(),
            number == KILLED_AT_SAMPLE
                ? "analyzer killed"
                : number == RESTARTED_AT_SAMPLE ? "analyzer started again" : ""));
  }

  private void write(
      boolean disk,
      boolean namedPipe,
      String end,
      int code,
      boolean alive,
      Path printed,
      Path directory)
      throws IOException {
    String[] parts = end.split(" ");
    List<String> application = Files.readAllLines(printed);
    List<String> server = Files.readAllLines(directory.resolve("serve.stderr"));
    output.write(
        String.format(
            Locale.ROOT,
            "%s%n%n%s operations (rows read or written) of an application in a heap of 128 MB: four workers on H2 in memory,"
                + " two of them watched with the analyzer in the process, two with one analyzer"
                + " beside it, `serve`, in 128 MB, too. The whole time a transaction of each kind"
                + " stays open that has read a row. %s%s The shared analyzer is killed (SIGKILL)"
                + " after %d %% of the operations and started again after %d %%.%n%n"
                + "Errors that the application saw: %s. Exit code of the application: %d. The slowest"
                + " connect took %s ms. The shared analyzer was %s at the end. Lines on the"
                + " application's standard error: %,d.%n%n",
            Machine.describe(),
            parts.length > 1 ? String.format(Locale.ROOT, "%,d", Long.parseLong(parts[1])) : "?",
            disk
                ? "The history is on a file system of 4 MB, which is full soon."
                : "(Skipped: the full disk; a tmpfs could not be mounted.)",
            namedPipe
                ? " The report is a named pipe that nobody reads."
                : " (Skipped: the named pipe.)",
            KILLED_AT_SAMPLE,
            RESTARTED_AT_SAMPLE,
            parts.length > 2 ? parts[2] : "it did not come to its end",
            code,
            parts.length > 3 ? parts[3] : "?",
            alive ? "running" : "dead",
            application.size()));
    output.write(
        "| operations, millions | operations a second | live heap of the application, MB | of the"
            + " shared analyzer, MB | longest operation, ms | errors | |\n"
            + "|---:|---:|---:|---:|---:|---:|---|\n"
            + rows
            + "\n");
    output.write(
        "What the analyzers did not see:\n\n```\n"
            + coverageLines("in the process", application)
            + coverageLines("shared", server)
            + "```\n\n");
    if (plot != null) {
      Plot heap = new Plot("operations, millions", "MB");
      heap.line("live heap, application", "#06c", applicationHeap);
      heap.line("live heap, shared analyzer", "#c60", serverHeap);
      write("heap", heap);
      Plot throughput = new Plot("operations, millions", "thousand operations/s");
      throughput.line("throughput", "#06c", rate);
      write("rate", throughput);
    }
  }

  private void write(String what, Plot picture) throws IOException {
    Path file = Path.of(plot + "-" + what + ".svg");
    Files.writeString(file, picture.svg());
    output.write("![" + what + " over operations](" + file.getFileName() + ")\n");
  }

  private static String coverageLines(String who, List<String> lines) {
    StringBuilder text = new StringBuilder();
    for (String line : lines) {
      Matcher matcher = COVERED.matcher(line);
      if (matcher.find() || line.startsWith("coverage")) {
        text.append(who).append(": ").append(line.strip()).append('\n');
      }
    }
    return text.toString();
  }

  private Process serve(int port, Path directory) throws IOException {
    Process server =
        new ProcessBuilder(
                java(),
                HEAP_OPTION,
                "-jar",
                jar.toString(),
                "serve",
                "--listen",
                "127.0.0.1:" + port,
                "--http",
                "none")
            .redirectOutput(ProcessBuilder.Redirect.DISCARD)
            .redirectError(
                ProcessBuilder.Redirect.appendTo(directory.resolve("serve.stderr").toFile()))
            .start();
    return server;
  }

  /** The live heap of a process in MB after a full collection; 0 if it is not available. */
  private static double liveHeapMegabytes(Process process)
      throws IOException, InterruptedException {
    Path jcmd = Path.of(System.getProperty("java.home"), "bin", "jcmd");
    if (!process.isAlive() || !Files.exists(jcmd)) {
      return 0;
    }
    Process jcmdProcess =
        new ProcessBuilder(jcmd.toString(), Long.toString(process.pid()), "GC.class_histogram")
            .redirectErrorStream(true)
            .start();
    double megabytes = 0;
    try (BufferedReader lines =
        new BufferedReader(
            new InputStreamReader(jcmdProcess.getInputStream(), StandardCharsets.UTF_8))) {
      for (String line = lines.readLine(); line != null; line = lines.readLine()) {
        if (line.startsWith("Total")) {
          megabytes = Long.parseLong(line.strip().split("\\s+")[2]) / MEGA;
        }
      }
    }
    jcmdProcess.waitFor();
    return megabytes;
  }

  private static String java() {
    return Path.of(System.getProperty("java.home"), "bin", "java").toString();
  }

  private static int freePort() throws IOException {
    try (ServerSocket socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      return socket.getLocalPort();
    }
  }

  private static boolean succeeds(String... command) throws InterruptedException {
    try {
      return new ProcessBuilder(command)
              .redirectErrorStream(true)
              .redirectOutput(ProcessBuilder.Redirect.DISCARD)
              .start()
              .waitFor()
          == 0;
    } catch (IOException e) {
      return false;
    }
  }
}
