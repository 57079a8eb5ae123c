package io.txwatch.cli;

import static org.assertj.core.api.Assertions.assertThat;

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
 * The broker of the tests of the module kafka, in a process of its own: no class of Kafka is in the
 * class path of the commands.
 */
final class KafkaBroker implements AutoCloseable {

  private static final Path MODULE = Path.of("..", "kafka", "target").toAbsolutePath().normalize();

  private final int port;
  private final Path errors;
  private final Process process;

  private KafkaBroker(int port, Path errors, Process process) {
    this.port = port;
    this.errors = errors;
    this.process = process;
  }

  /** Starts one with its files in that directory. */
  static KafkaBroker start(Path directory) throws IOException {
    int port = freePort();
    Path errors = directory.resolve("broker.err");
    Process process =
        start(
            errors,
            "BrokerMain",
            Files.createDirectory(directory.resolve("broker")).toString(),
            Integer.toString(port),
            Integer.toString(anotherPort(port)));
    BufferedReader out =
        new BufferedReader(new InputStreamReader(process.getInputStream(), StandardCharsets.UTF_8));
    assertThat(out.readLine()).as(Files.readString(errors)).isEqualTo("started");
    return new KafkaBroker(port, errors, process);
  }

  private static Process start(Path errors, String main, String... arguments) throws IOException {
    List<String> command =
        new ArrayList<>(
            List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-Xmx256m",
                "-XX:TieredStopAtLevel=1",
                "-cp",
                MODULE.resolve("test-classes") + File.pathSeparator + classPath(),
                "io.txwatch.kafka." + main));
    command.addAll(List.of(arguments));
    return new ProcessBuilder(command)
        .redirectError(ProcessBuilder.Redirect.appendTo(errors.toFile()))
        .start();
  }

  private static String classPath() throws IOException {
    return Files.readString(MODULE.resolve("broker.classpath")).strip();
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

  /** What txwatch-kafka.jar contains, before it is built. */
  static String jar() throws IOException {
    return Stream.concat(
            Stream.of(MODULE.resolve("classes").toString()),
            Stream.of(classPath().split(File.pathSeparator))
                .filter(path -> path.contains("kafka-clients") || path.contains("slf4j")))
        .collect(Collectors.joining(File.pathSeparator));
  }

  String url(String topic) {
    return "kafka://127.0.0.1:" + port + "/" + topic;
  }

  /** Creates a topic and waits until it can be written to. */
  void create(String topic) throws IOException, InterruptedException {
    send(List.of(topic));
  }

  /** Sends records, each a topic, a key and a value between tabs. */
  void send(List<String> records) throws IOException, InterruptedException {
    Process sender = start(errors, "RecordsMain", "127.0.0.1:" + port);
    try (var in = sender.outputWriter(StandardCharsets.UTF_8)) {
      for (String line : records) {
        in.write(line + "\n");
      }
    }
    assertThat(sender.waitFor()).as(Files.readString(errors)).isZero();
  }

  @Override
  public void close() {
    process.destroyForcibly();
  }
}
