package io.txwatch.kafka;

import java.io.BufferedReader;
import java.io.File;
import java.io.IOException;
import java.io.InputStreamReader;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** A real broker in a child process. */
final class Broker implements AutoCloseable {

  private static final String CLASS_PATH =
      System.getProperty("surefire.test.class.path", System.getProperty("java.class.path"));

  private final Path directory;
  private final int port = freePort();
  private final int controllerPort = anotherPort(port);
  private @Nullable Process process;

  private Broker(Path directory) throws IOException {
    this.directory = directory;
  }

  static Broker start(Path directory) throws IOException {
    Broker broker = new Broker(directory);
    broker.start();
    return broker;
  }

  /** Starts it, also again after it was killed. */
  void start() throws IOException {
    Process started =
        new ProcessBuilder(
                List.of(
                    Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                    "-Xmx256m",
                    "-XX:TieredStopAtLevel=1",
                    "-XX:+UseSerialGC",
                    "-cp",
                    CLASS_PATH,
                    BrokerMain.class.getName(),
                    directory.toString(),
                    Integer.toString(port),
                    Integer.toString(controllerPort)))
            .redirectError(directory.resolve("errors").toFile())
            .start();
    process = started;
    BufferedReader out =
        new BufferedReader(new InputStreamReader(started.getInputStream(), StandardCharsets.UTF_8));
    for (String line = out.readLine(); !"started".equals(line); line = out.readLine()) {
      if (line == null) {
        throw new IOException(
            "the broker did not start: " + Files.readString(directory.resolve("errors")));
      }
    }
  }

  String url(String topic) {
    return "kafka://127.0.0.1:" + port + "/" + topic;
  }

  int port() {
    return port;
  }

  void kill() throws InterruptedException {
    Process killed = process;
    if (killed != null) {
      killed.destroyForcibly().waitFor();
    }
  }

  @Override
  public void close() throws InterruptedException {
    kill();
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
  static String jar() {
    return Stream.of(CLASS_PATH.split(File.pathSeparator))
        .filter(path -> path.contains("kafka-clients") || path.contains("slf4j") || isOwn(path))
        .map(path -> new File(path).getAbsolutePath())
        .collect(Collectors.joining(File.pathSeparator));
  }

  private static boolean isOwn(String path) {
    return new File(path, "io/txwatch/kafka/KafkaConnector.class").exists();
  }
}
