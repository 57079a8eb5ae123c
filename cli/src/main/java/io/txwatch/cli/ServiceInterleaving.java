package io.txwatch.cli;

import io.txwatch.interleave.service.GateConnection;
import io.txwatch.interleave.service.GateMessage;
import io.txwatch.link.Address;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.URI;
import java.net.http.HttpClient;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;

/**
 * Requests to a service, which are sent when its gate demands them.
 *
 * @param service the URL of the service
 * @param reset a shell command that restores the state
 * @param gate the address of the gate
 * @param token the secret of the gate
 */
record ServiceInterleaving(
    URI service,
    List<ServiceRequest> requests,
    Optional<String> reset,
    Address gate,
    String token) {

  private static final int CONNECT_MILLIS = 10_000;

  /** The gate reports within this time that a call does not end. */
  private static final int SILENCE_MILLIS = 600_000;

  private static final long RESET_MINUTES = 5;

  /** Omits the token. */
  @Override
  public String toString() {
    return "ServiceInterleaving[" + service + "]";
  }

  /**
   * Interleaves.
   *
   * @throws CommandException if the service or its gate cannot be reached, or refuses
   */
  GateMessage.Found run(InterleavingBounds bounds) throws InterruptedException {
    requireService();
    ExecutorService senders = Executors.newCachedThreadPool();
    try (GateConnection connection = connect()) {
      connection.send(
          new GateMessage.Run(
              GateConnection.VERSION,
              token,
              requests.stream().map(ServiceRequest::name).toList(),
              bounds.preemptions(),
              bounds.executions(),
              reset.isPresent()));
      return serve(connection, senders);
    } catch (IOException e) {
      throw unavailable("the connection has ended: " + e.getMessage());
    } finally {
      senders.shutdownNow();
    }
  }

  private void requireService() {
    int port = service.getPort();
    int known = port > 0 ? port : service.getScheme().equals("https") ? 443 : 80;
    try (Socket socket = new Socket()) {
      String host = service.getHost().replaceAll("[\\[\\]]", "");
      socket.connect(new InetSocketAddress(InetAddress.getByName(host), known), CONNECT_MILLIS);
    } catch (IOException e) {
      throw CommandException.unreachable(
          service + ": the service cannot be reached: " + e.getMessage());
    }
  }

  private GateConnection connect() {
    Socket socket = new Socket();
    try {
      socket.connect(gate.socketAddress(), CONNECT_MILLIS);
      socket.setSoTimeout(SILENCE_MILLIS);
      return new GateConnection(socket);
    } catch (IOException e) {
      throw unavailable(
          "it cannot be reached ("
              + e.getMessage()
              + "): start the service with -javaagent:txwatch.jar=gate="
              + gate.port());
    }
  }

  private CommandException unavailable(String why) {
    return CommandException.unreachable(
        "the gate at " + gate.host() + ":" + gate.port() + ": " + why);
  }

  /** Does what the gate demands, until it has decided. */
  private GateMessage.Found serve(GateConnection connection, ExecutorService senders)
      throws IOException, InterruptedException {
    HttpClient client =
        HttpClient.newBuilder()
            .version(HttpClient.Version.HTTP_1_1)
            .followRedirects(HttpClient.Redirect.NEVER)
            .connectTimeout(Duration.ofMillis(CONNECT_MILLIS))
            .build();
    while (true) {
      GateMessage next = connection.receive(GateConnection.MAX_LINE_BYTES);
      if (next instanceof GateMessage.Request request
          && request.operation() >= 0
          && request.operation() < requests.size()) {
        senders.execute(() -> send(connection, client, request));
      } else if (next instanceof GateMessage.Reset demanded) {
        executeReset();
        connection.send(new GateMessage.Answer(demanded.number(), "", ""));
      } else if (next instanceof GateMessage.Found last) {
        return last;
      } else if (next instanceof GateMessage.Refused refused && refused.isInput()) {
        throw CommandException.badInput(refused.reason());
      } else if (next instanceof GateMessage.Refused refused) {
        throw unavailable(refused.reason());
      } else {
        throw unavailable(
            next == null
                ? "it has closed the connection: has the service ended?"
                : "it has sent what was not expected");
      }
    }
  }

  private void send(GateConnection connection, HttpClient client, GateMessage.Request request) {
    try {
      connection.send(requests.get(request.operation()).send(client, request.number()));
    } catch (IOException e) {
      // The gate has closed the connection, which the thread that receives notices.
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  private void executeReset() throws IOException, InterruptedException {
    String command = reset.orElseThrow();
    boolean isWindows = System.getProperty("os.name").startsWith("Windows");
    Process process =
        new ProcessBuilder(
                isWindows ? List.of("cmd", "/c", command) : List.of("/bin/sh", "-c", command))
            .redirectErrorStream(true)
            .redirectOutput(ProcessBuilder.Redirect.DISCARD)
            .start();
    process.getOutputStream().close();
    try {
      if (!process.waitFor(RESET_MINUTES, TimeUnit.MINUTES)) {
        throw CommandException.badInput(
            "--reset: '" + command + "' has not ended within " + RESET_MINUTES + " minutes");
      }
    } finally {
      process.destroyForcibly();
    }
    if (process.exitValue() != 0) {
      throw CommandException.badInput(
          "--reset: '" + command + "' has ended with exit code " + process.exitValue());
    }
  }

  /** Prints what was found. */
  void report(GateMessage.Found last, Console console, boolean json) throws IOException {
    String phenomenon = last.phenomenon().isEmpty() ? null : last.phenomenon();
    ExploredOrders orders = new ExploredOrders(last.found(), phenomenon, last.found().bound());
    if (json) {
      orders.writeJson(
          console.out(),
          more -> {
            more.writeStringField("service", service.toString());
            more.writeArrayFieldStart("requests");
            for (ServiceRequest request : requests) {
              more.writeString(request.name());
            }
            more.writeEndArray();
          });
    }
    orders.print(console.textOut(json), requests.size() + " requests to " + service);
  }
}
