package io.txwatch.servers;

import java.io.IOException;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.BooleanSupplier;

/**
 * A server's process and its data directory, which both end with this JVM.
 *
 * <p>An intermediate shell starts the server, then waits on a pipe that only this JVM keeps open.
 * When the pipe closes (by {@link #close}, or because the JVM ended, even by {@code kill -9}), it
 * signals the server and removes the data directory.
 */
final class ServerProcess implements AutoCloseable {

  /**
   * $1 the signal that ends the server, $2 the directory to remove, the rest the command. The
   * server does not inherit the pipe. A Ctrl-C at the terminal reaches the JVM, not the shell. A
   * server that ends while a file {@value #CRASH} is there is started again once it is removed, or
   * after a minute.
   */
  private static final String WATCH =
      """
      trap '' INT HUP TERM
      signal=$1; directory=$2; shift 2
      exec 3<&0
      while :; do
        "$@" </dev/null 3<&- &
        server=$!
        echo "$server" >"$directory/server.pid"
        (read -r _ <&3; kill -s "$signal" "$server") 2>/dev/null &
        watcher=$!
        wait "$server"
        kill -s KILL "$watcher" 2>/dev/null
        [ -e "$directory/crash" ] || break
        waits=0
        while [ -e "$directory/crash" ] && [ "$waits" -lt 600 ]; do
          waits=$((waits + 1)); sleep 0.1
        done
      done
      rm -rf -- "$directory"
      """;

  private static final long START_TIMEOUT_SECONDS = 120;
  private static final long STOP_TIMEOUT_SECONDS = 20;

  private static final String CRASH = "crash";

  private final Process shell;
  private final Path directory;
  private final BooleanSupplier ready;

  private ServerProcess(Process shell, Path directory, BooleanSupplier ready) {
    this.shell = shell;
    this.directory = directory;
    this.ready = ready;
  }

  /**
   * Starts a server and waits until it answers.
   *
   * @param directory what to remove when it has ended; its output goes to {@code server.log} there
   * @param signal what ends it at once: QUIT, KILL
   * @throws ServerUnavailableException if it ends by itself, or does not answer in two minutes
   */
  static ServerProcess start(
      List<String> command,
      Map<String, String> environment,
      Path directory,
      String signal,
      BooleanSupplier ready) {
    Path log = directory.resolve("server.log");
    List<String> watched = new ArrayList<>();
    watched.addAll(List.of("/bin/sh", "-c", WATCH, "txwatch-server", signal, directory.toString()));
    watched.addAll(command);
    ProcessBuilder builder =
        new ProcessBuilder(watched).redirectErrorStream(true).redirectOutput(log.toFile());
    builder.environment().putAll(environment);
    // Opened before the start, so that the log is readable after the shell has removed the file.
    try (InputStream output = Files.newInputStream(Files.createFile(log))) {
      ServerProcess process = new ServerProcess(builder.start(), directory, ready);
      process.awaitReady(output);
      return process;
    } catch (IOException e) {
      throw new ServerUnavailableException("cannot run /bin/sh: " + e.getMessage(), e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new ServerUnavailableException("interrupted while a server was starting", e);
    }
  }

  private void awaitReady(InputStream output) throws IOException, InterruptedException {
    long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(START_TIMEOUT_SECONDS);
    while (!ready.getAsBoolean()) {
      if (shell.waitFor(20, TimeUnit.MILLISECONDS) || System.nanoTime() > deadline) {
        close();
        String text = new String(output.readAllBytes(), StandardCharsets.ISO_8859_1);
        throw new ServerUnavailableException(
            "the server did not start: " + Commands.tail(text.strip()));
      }
    }
  }

  /**
   * Kills the server and its children at once ({@code kill -9}), and starts it again on what is
   * left of its data.
   *
   * @param leftovers files that a server removes when it stops in order
   * @throws ServerUnavailableException if it does not start again
   */
  void crash(List<Path> leftovers) {
    Path mark = directory.resolve(CRASH);
    try (InputStream output = Files.newInputStream(directory.resolve("server.log"))) {
      ProcessHandle server =
          ProcessHandle.of(
                  Long.parseLong(Files.readString(directory.resolve("server.pid")).strip()))
              .orElseThrow(() -> new ServerUnavailableException("the server has ended before"));
      Files.createFile(mark);
      List<ProcessHandle> children = server.descendants().toList();
      server.destroyForcibly();
      children.forEach(ProcessHandle::destroyForcibly);
      for (ProcessHandle process : children) {
        process.onExit().get(STOP_TIMEOUT_SECONDS, TimeUnit.SECONDS);
      }
      server.onExit().get(STOP_TIMEOUT_SECONDS, TimeUnit.SECONDS);
      for (Path leftover : leftovers) {
        Files.deleteIfExists(leftover);
      }
      Files.delete(mark);
      awaitReady(output);
    } catch (IOException | ExecutionException | TimeoutException e) {
      throw new ServerUnavailableException("cannot crash the server: " + e.getMessage(), e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new ServerUnavailableException("interrupted while a server was starting", e);
    }
  }

  /** A port on loopback that was free a moment ago. */
  static int freePort() {
    try (ServerSocket socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      return socket.getLocalPort();
    } catch (IOException e) {
      throw new ServerUnavailableException("no free port on loopback", e);
    }
  }

  /** True if something accepts connections on a port of loopback. */
  static boolean isListening(int port) {
    try (Socket socket = new Socket(InetAddress.getLoopbackAddress(), port)) {
      return socket.isConnected();
    } catch (IOException e) {
      return false;
    }
  }

  /** True until the server and its data are gone. */
  boolean isAlive() {
    return shell.isAlive();
  }

  @Override
  public void close() {
    try {
      shell.getOutputStream().close();
      if (!shell.waitFor(STOP_TIMEOUT_SECONDS, TimeUnit.SECONDS)) {
        shell.descendants().forEach(ProcessHandle::destroyForcibly);
      }
    } catch (IOException e) {
      shell.descendants().forEach(ProcessHandle::destroyForcibly);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }
}
