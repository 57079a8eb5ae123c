package io.txwatch.bench.analysis;

import io.txwatch.bench.JdkProcess;
import io.txwatch.bench.ProcessMemory;
import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * One run of {@code check} in a process of its own, on one processor.
 *
 * @param operations the number of operations that it reports
 * @param valid the verdict
 * @param seconds the reported duration, including reading the file
 * @param readingSeconds the reported duration of reading the file; 0 if not reported
 * @param cpuSeconds the CPU time of the process: more accurate on a busy machine
 * @param wholeSeconds the duration of the process
 * @param peakBytes its peak resident memory ({@code VmHWM})
 */
record CheckRun(
    long operations,
    String valid,
    double seconds,
    double readingSeconds,
    double cpuSeconds,
    double wholeSeconds,
    long peakBytes) {

  private static final Pattern FIELD =
      Pattern.compile("\"(operations|valid|seconds|readingSeconds)\":\"?([^,}\"]+)");
  private static final int PEAK_POLL_INTERVAL_MILLIS = 10;

  /**
   * Checks a file.
   *
   * @param passes how often the process checks the file; the result is that of the last pass, when
   *     the JVM is warm
   */
  static CheckRun run(Path jar, Path file, int passes) throws IOException, InterruptedException {
    List<String> command = new ArrayList<>();
    if (Files.isExecutable(Path.of("/usr/bin/taskset"))) {
      int last = Runtime.getRuntime().availableProcessors() - 1;
      command.addAll(List.of("/usr/bin/taskset", "-c", Integer.toString(last)));
    }
    List<String> arguments = new ArrayList<>(List.of("check", "--json"));
    arguments.addAll(Collections.nCopies(passes, file.toString()));
    command.addAll(JdkProcess.ofJar(List.of(), jar, arguments));
    File answer = File.createTempFile("check", ".json");
    try {
      long started = System.nanoTime();
      Process process =
          new ProcessBuilder(command)
              .redirectOutput(answer)
              .redirectError(ProcessBuilder.Redirect.DISCARD)
              .start();
      long peak = 0;
      double cpu = 0;
      while (process.isAlive()) {
        peak = Math.max(peak, ProcessMemory.peakBytes(process.pid()));
        cpu =
            Math.max(
                cpu, process.info().totalCpuDuration().map(d -> d.toMillis() / 1e3).orElse(0.0));
        Thread.sleep(PEAK_POLL_INTERVAL_MILLIS);
      }
      double whole = (System.nanoTime() - started) / 1e9;
      return parse(Files.readString(answer.toPath()), cpu, whole, peak, file);
    } finally {
      Files.delete(answer.toPath());
    }
  }

  private static CheckRun parse(String json, double cpu, double whole, long peak, Path file)
      throws IOException {
    long operations = -1;
    String valid = "";
    double seconds = -1;
    double reading = 0;
    Matcher field = FIELD.matcher(json);
    while (field.find()) {
      switch (field.group(1)) {
        case "operations" -> operations = Long.parseLong(field.group(2));
        case "valid" -> valid = field.group(2);
        case "readingSeconds" -> reading = Double.parseDouble(field.group(2));
        default -> seconds = Double.parseDouble(field.group(2));
      }
    }
    if (operations < 0 || seconds < 0) {
      throw new IOException("check printed no result for " + file + ": " + json);
    }
    return new CheckRun(operations, valid, seconds, reading, cpu, whole, peak);
  }
}
