package io.txwatch.bench.overhead;

import io.txwatch.bench.JdkProcess;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.OutputStreamWriter;
import java.io.PrintWriter;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

/** The process of a {@link Worker}. */
final class WorkerProcess implements AutoCloseable {

  private final Variant variant;
  private final Process process;
  private final Path errors;
  private final PrintWriter commands;
  private final BufferedReader results;

  private WorkerProcess(Variant variant, Process process, Path errors) {
    this.variant = variant;
    this.process = process;
    this.errors = errors;
    this.commands =
        new PrintWriter(
            new OutputStreamWriter(process.getOutputStream(), StandardCharsets.UTF_8), true);
    this.results =
        new BufferedReader(new InputStreamReader(process.getInputStream(), StandardCharsets.UTF_8));
  }

  /**
   * What all workers of a run share.
   *
   * @param clients the number of connections of each
   * @param seed of the clients
   * @param placement of the application
   * @param directory for their logs
   * @param jvmOptions for their JVMs; VARIANT stands for the variant's name
   */
  record Settings(
      WorkloadKind workload,
      int clients,
      long seed,
      Placement placement,
      Path directory,
      List<String> jvmOptions) {}

  /** Starts a worker on the database at a URL. */
  static WorkerProcess start(Variant variant, String url, Settings settings) throws IOException {
    Path directory = settings.directory();
    // A compiler thread that ends would lose its CPU time.
    List<String> options =
        new ArrayList<>(
            List.of(
                "-Xms512m",
                "-Xmx512m",
                "-XX:-UseDynamicNumberOfCompilerThreads",
                "-XX:+AlwaysPreTouch"));
    settings.jvmOptions().stream()
        .map(option -> option.replace("VARIANT", variant.option()))
        .forEach(options::add);
    List<String> arguments =
        List.of(
            variant.option(),
            settings.workload().option(),
            url,
            Integer.toString(settings.clients()),
            Long.toString(settings.seed()),
            directory.toString());
    List<String> command = new ArrayList<>(settings.placement().ofApplication());
    command.addAll(JdkProcess.ofClass(options, Worker.class, arguments));
    Path errors = directory.resolve(variant.option() + ".stderr");
    Process process =
        new ProcessBuilder(command)
            .directory(directory.toFile())
            .redirectError(ProcessBuilder.Redirect.appendTo(errors.toFile()))
            .start();
    return new WorkerProcess(variant, process, errors);
  }

  Variant variant() {
    return variant;
  }

  /**
   * Runs the worker for the given time.
   *
   * @param transactions how many each of its clients runs at most
   */
  Slice run(long millis, long transactions) throws IOException {
    double client = ProcessorTime.of(process.pid());
    double compiling = ProcessorTime.ofCompilers(process.pid());
    double watching = ProcessorTime.ofWatchers(process.pid());
    double reading = ProcessorTime.ofLogReaders(process.pid());
    double all = ProcessorTime.ofDescendants();
    commands.println(millis + " " + transactions);
    String line = results.readLine();
    while (line != null && !line.startsWith(Worker.SLICE_PREFIX)) {
      line = results.readLine();
    }
    if (line == null) {
      throw new IOException(
          "the worker of " + variant.title() + " ended: " + Files.readString(errors));
    }
    double ofClient = ProcessorTime.of(process.pid()) - client;
    double ofAll = ProcessorTime.ofDescendants() - all;
    double ofWatchers = ProcessorTime.ofWatchers(process.pid()) - watching;
    double ofLog = ProcessorTime.ofLogReaders(process.pid()) - reading;
    double ofCompilers = ProcessorTime.ofCompilers(process.pid()) - compiling;
    return Slice.parse(line.substring(Worker.SLICE_PREFIX.length()))
        .withCpuTime(ofClient, ofCompilers, ofWatchers, ofLog, Math.max(0, ofAll - ofClient));
  }

  @Override
  public void close() throws IOException {
    commands.close();
    try {
      if (!process.waitFor(20, TimeUnit.SECONDS)) {
        process.destroyForcibly();
      }
    } catch (InterruptedException e) {
      process.destroyForcibly();
      Thread.currentThread().interrupt();
    }
    results.close();
  }
}
