package io.txwatch.bench.overhead;

import io.txwatch.bench.JdkProcess;
import io.txwatch.bench.UnusableOptionException;
import java.io.BufferedReader;
import java.io.File;
import java.io.IOException;
import java.io.InputStreamReader;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * What a variant reports to outside of its application: an analyzer or a broker, in a process of
 * its own.
 */
final class Destination implements AutoCloseable {

  /** The property with the folder of the module kafka's compiled classes and class path. */
  private static final String KAFKA_BUILD = "bench.kafka";

  private final Process process;
  private final List<String> jvmOptions;

  private Destination(Process process, List<String> jvmOptions) {
    this.process = process;
    this.jvmOptions = jvmOptions;
  }

  /** Starts those that the variants need. */
  static List<Destination> start(List<Variant> variants, Path directory) throws IOException {
    List<Destination> started = new ArrayList<>();
    if (variants.contains(Variant.INLINE_TCP)) {
      started.add(analyzer(directory));
    }
    if (variants.contains(Variant.INLINE_KAFKA)) {
      started.add(broker(directory));
    }
    return started;
  }

  /** The options of a variant's JVM, with which it finds what it reports to. */
  static List<String> jvmOptions(Variant variant, List<Destination> started) {
    String scheme =
        switch (variant) {
          case INLINE_TCP -> "tcp:";
          case INLINE_KAFKA -> "kafka:";
          default -> "none:";
        };
    return started.stream()
        .map(one -> one.jvmOptions)
        .filter(options -> options.get(0).contains("=" + scheme))
        .findFirst()
        .orElse(List.of());
  }

  private static Destination analyzer(Path directory) throws IOException {
    Process process =
        process(
            JdkProcess.ofClass(List.of("-Xmx512m"), AnalyzerMain.class, List.of()),
            directory.resolve("analyzer.stderr"));
    String port = firstLine(process, directory.resolve("analyzer.stderr"));
    return new Destination(
        process, List.of("-D" + Variant.DESTINATION + "=tcp://127.0.0.1:" + port));
  }

  /** The broker of the tests of the module kafka, from its published jars. */
  private static Destination broker(Path directory) throws IOException {
    String build = System.getProperty(KAFKA_BUILD, "");
    Path file = Path.of(build, "broker.classpath");
    if (build.isEmpty() || !Files.exists(file)) {
      throw new UnusableOptionException(
          "--variants: inline-kafka needs a broker: run it with bench/run overhead, which builds"
              + " the module kafka");
    }
    String libraries = Files.readString(file).strip();
    String broker = Path.of(build, "test-classes") + File.pathSeparator + libraries;
    int port = freePort();
    Path own = Files.createDirectory(directory.resolve("broker"));
    Path errors = directory.resolve("broker.stderr");
    List<String> command =
        List.of(
            JdkProcess.program("java").toString(),
            "-Xmx512m",
            "-cp",
            broker,
            "io.txwatch.kafka.BrokerMain",
            own.toString(),
            Integer.toString(port),
            Integer.toString(anotherPort(port)));
    Process process = process(command, errors);
    String started = firstLine(process, errors);
    if (!"started".equals(started)) {
      throw new IOException("the broker printed '" + started + "'");
    }
    String client =
        Stream.concat(
                Stream.of(Path.of(build, "classes").toString()),
                Stream.of(libraries.split(File.pathSeparator))
                    .filter(path -> path.contains("kafka-clients") || path.contains("slf4j")))
            .collect(Collectors.joining(File.pathSeparator));
    return new Destination(
        process,
        List.of(
            "-D" + Variant.DESTINATION + "=kafka://127.0.0.1:" + port + "/txwatch",
            "-Dtxwatch.kafka-jar=" + client));
  }

  private static Process process(List<String> command, Path errors) throws IOException {
    return new ProcessBuilder(command).redirectError(errors.toFile()).start();
  }

  private static String firstLine(Process process, Path errors) throws IOException {
    String line =
        new BufferedReader(new InputStreamReader(process.getInputStream(), StandardCharsets.UTF_8))
            .readLine();
    if (line == null) {
      throw new IOException("what the variants report to ended: " + Files.readString(errors));
    }
    return line;
  }

  /** A free port that is not this one: two calls in succession may find the same. */
  private static int anotherPort(int port) throws IOException {
    int other = freePort();
    while (other == port) {
      other = freePort();
    }
    return other;
  }

  private static int freePort() throws IOException {
    try (ServerSocket socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      return socket.getLocalPort();
    }
  }

  @Override
  public void close() {
    process.destroyForcibly();
  }
}
