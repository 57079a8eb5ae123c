package io.txwatch.compat;

import io.txwatch.servers.ServerKind;
import io.txwatch.servers.TestServers;
import java.io.File;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import org.example.shop.Schema;

/**
 * One run of an application, in a JVM and with a database of its own: a second JVM, if it is
 * started again.
 *
 * @param lines what it printed, what its libraries logged included
 * @param errors what it printed on standard error
 * @param report the anomalies that were reported, as JSON, one a line
 */
record ApplicationRun(int exitCode, List<String> lines, String errors, List<String> report) {

  private static final int MAX_MINUTES = 5;

  /**
   * Where the suite's files are.
   *
   * @param java the command that starts a JVM
   * @param jar txwatch.jar
   */
  record Installation(Path module, Path java, Path jar) {

    /** The classes of the applications and all libraries. */
    private List<String> classPath() throws IOException {
      String libraries =
          Files.readString(module.resolve("target/applications.classpath"), StandardCharsets.UTF_8);
      List<String> path = new ArrayList<>();
      path.add(module.resolve("target/classes").toString());
      path.addAll(List.of(libraries.strip().split(File.pathSeparator)));
      return path;
    }
  }

  /** Runs an application in an empty folder. */
  static ApplicationRun of(
      Installation installation, Application application, ServerKind kind, Way way, Path folder)
      throws IOException, SQLException, InterruptedException {
    Files.createDirectories(folder);
    List<String> urls = new ArrayList<>();
    urls.add(database(kind, folder.resolve("shop")));
    if (application.usesTwoDatabases()) {
      urls.add(database(other(kind), folder.resolve("other")));
    }
    if (!application.createsItsTables()) {
      for (String url : urls) {
        Schema.create(url);
      }
    }
    List<String> path = installation.classPath();
    Path report = folder.resolve("report.jsonl");
    List<String> command = new ArrayList<>();
    command.add(installation.java().toString());
    command.addAll(List.of("-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC", "-Duser.language=en"));
    switch (way) {
      case RAW -> {}
      case AGENT ->
          command.add(
              "-javaagent:" + installation.jar() + "=log=none,prepare=auto,report=" + report);
      case DEFAULT ->
          command.add("-javaagent:" + installation.jar() + "=log=none,report=" + report);
      case URL -> {
        if (application.createsItsTables()) {
          command.add("-Dtxwatch.prepare=auto");
        } else {
          for (String url : urls) {
            if (!url.startsWith("jdbc:postgresql:")) { // where there is nothing to prepare
              prepare(installation, url, folder);
            }
          }
        }
        urls.replaceAll(url -> "jdbc:txwatch:" + url.substring("jdbc:".length()));
        path.add(installation.jar().toString());
        command.addAll(List.of("-Dtxwatch.log=none", "-Dtxwatch.report=" + report));
      }
    }
    command.add("-cp");
    command.add(
        path.stream().filter(application::has).collect(Collectors.joining(File.pathSeparator)));
    command.add(application.mainClass());
    command.addAll(application.arguments(urls.get(0), urls.get(urls.size() - 1), path));
    List<String> lines = new ArrayList<>();
    StringBuilder errors = new StringBuilder();
    int code = 0;
    for (int start = 0; start < application.starts() && code == 0; start++) {
      Path out = folder.resolve("out" + start);
      Path err = folder.resolve("err" + start);
      code = execute(command, folder, out, err);
      Files.readAllLines(out, StandardCharsets.UTF_8).stream()
          .map(ApplicationRun::withoutNumbersOfTheRun)
          .forEach(lines::add);
      errors.append(Files.readString(err, StandardCharsets.UTF_8));
    }
    return new ApplicationRun(
        code,
        lines,
        errors.toString(),
        Files.exists(report) ? Files.readAllLines(report, StandardCharsets.UTF_8) : List.of());
  }

  private static String database(ServerKind kind, Path file) throws SQLException {
    // A busy machine may let a session wait for a lock longer than H2 does by default.
    return kind == ServerKind.H2
        ? "jdbc:h2:file:" + file + ";LOCK_TIMEOUT=60000"
        : TestServers.freshDatabase(kind);
  }

  /** The DBMS of the second database of an application that uses two. */
  private static ServerKind other(ServerKind kind) {
    return switch (kind) {
      case POSTGRESQL -> ServerKind.MARIADB;
      case MARIADB -> ServerKind.POSTGRESQL;
      default -> kind;
    };
  }

  /**
   * Replaces names of databases and numbers of connections, and names that H2 generates for the
   * indexes of constraints: it copies a table that gets a column, and generates them again.
   */
  private static String withoutNumbersOfTheRun(String line) {
    return line.replaceAll("txw_\\d+_\\d+", "DATABASE")
        .replaceAll("conn=\\d+", "conn=N")
        .replaceAll("_INDEX_[0-9A-F]+\\b", "_INDEX_N");
  }

  private static void prepare(Installation installation, String url, Path folder)
      throws IOException, InterruptedException {
    List<String> command =
        List.of(
            installation.java().toString(),
            "-XX:TieredStopAtLevel=1",
            "-jar",
            installation.jar().toString(),
            "prepare",
            "--url",
            url);
    Path errors = folder.resolve("prepare-err");
    if (execute(command, folder, folder.resolve("prepare-out"), errors) != 0) {
      throw new IOException("prepare failed: " + Files.readString(errors));
    }
  }

  private static int execute(List<String> command, Path folder, Path out, Path err)
      throws IOException, InterruptedException {
    Process process =
        new ProcessBuilder(command)
            .directory(folder.toFile())
            .redirectOutput(out.toFile())
            .redirectError(err.toFile())
            .start();
    try {
      if (!process.waitFor(MAX_MINUTES, TimeUnit.MINUTES)) {
        throw new IOException("not done after " + MAX_MINUTES + " minutes, see " + out);
      }
      return process.exitValue();
    } finally {
      process.destroyForcibly();
    }
  }
}
