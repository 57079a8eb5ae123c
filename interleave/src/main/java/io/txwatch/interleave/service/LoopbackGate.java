package io.txwatch.interleave.service;

import io.txwatch.history.BackgroundThreads;
import io.txwatch.jdbc.gate.GateListener;
import io.txwatch.settings.Setting;
import io.txwatch.settings.Settings;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.security.SecureRandom;
import java.util.HexFormat;
import java.util.concurrent.Semaphore;
import java.util.function.Consumer;

/**
 * Listens for controllers on this machine: {@code txwatch.gate}. One of them interleaves at a time.
 * While none does, no gate is installed.
 */
public final class LoopbackGate implements GateListener {

  /** Connections at a time, whether they have shown the token or not. */
  private static final int MAX_CONNECTIONS = 4;

  private static final int TOKEN_BYTES = 16;
  private static final int MAX_PORT = 65_535;

  public LoopbackGate() {}

  @Override
  public void open(Settings settings, Consumer<String> log) {
    String port = settings.get(Setting.GATE);
    if (!port.matches("[1-9][0-9]{0,4}") || Integer.parseInt(port) > MAX_PORT) {
      log.accept("expected a port, not " + port + ", so there is no gate");
      return;
    }
    try {
      // Closed when the process ends.
      ServerSocket listener = new ServerSocket();
      listener.bind(new InetSocketAddress(loopback(), Integer.parseInt(port)), MAX_CONNECTIONS);
      String set = settings.get(Setting.TOKEN).strip();
      String token = set.isEmpty() ? random() : set;
      log.accept(
          "txwatch interleave --service can hold the calls of this process at 127.0.0.1:"
              + port
              + (set.isEmpty() ? ", with TXWATCH_TOKEN=" + token : ", with its token"));
      BackgroundThreads.create("txwatch-gate", () -> accept(listener, token, settings, log))
          .start();
    } catch (IOException e) {
      log.accept(
          "127.0.0.1:"
              + port
              + " cannot be used, so there is no gate; the application is watched all the same: "
              + e.getMessage());
    }
  }

  private static InetAddress loopback() throws IOException {
    return InetAddress.getByAddress(new byte[] {127, 0, 0, 1});
  }

  private static String random() {
    byte[] bytes = new byte[TOKEN_BYTES];
    new SecureRandom().nextBytes(bytes);
    return HexFormat.of().formatHex(bytes);
  }

  private static void accept(
      ServerSocket listener, String token, Settings settings, Consumer<String> log) {
    Semaphore connections = new Semaphore(MAX_CONNECTIONS);
    Semaphore turn = new Semaphore(1);
    try {
      while (true) {
        connections.acquire();
        Socket socket = listener.accept();
        GateSession session =
            new GateSession(token, settings.get(Setting.TEST_DATABASE), turn, log);
        BackgroundThreads.create(
                "txwatch-gate-session",
                () -> {
                  try {
                    session.serve(socket);
                  } finally {
                    connections.release();
                  }
                })
            .start();
      }
    } catch (IOException | InterruptedException e) {
      log.accept("the gate is closed: " + e);
    }
  }
}
