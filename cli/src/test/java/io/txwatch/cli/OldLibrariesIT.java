package io.txwatch.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.File;
import java.io.IOException;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import javax.tools.JavaCompiler;
import javax.tools.StandardJavaFileManager;
import javax.tools.ToolProvider;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * An application with old, incompatible versions of all libraries that txwatch.jar contains, and of
 * those that it looks for by name. Most calls in {@code versions} exist in the old version only.
 */
class OldLibrariesIT {

  private static final String APPLICATION =
      """
      import java.sql.*;
      import java.util.*;

      public class Application {
        public static void main(String[] urls) throws Exception {
          versions();
          org.slf4j.LoggerFactory.getLogger("shop").info("opened");
          org.slf4j.MDC.put("trace_id", "4bf92f3577b34da6a3ce929d0e0e4736");
          try (Connection alice = DriverManager.getConnection(urls[0]);
              Connection bob = DriverManager.getConnection(urls[0])) {
            alice.createStatement().execute("CREATE TABLE account (id INT PRIMARY KEY, balance INT)");
            alice.createStatement().execute("INSERT INTO account VALUES (1, 100)");
            alice.setAutoCommit(false);
            bob.setAutoCommit(false);
            int seenByAlice = balance(alice);
            int seenByBob = balance(bob);
            alice.createStatement().execute("UPDATE account SET balance = " + (seenByAlice - 10));
            alice.commit();
            bob.createStatement().execute("UPDATE account SET balance = " + (seenByBob - 20));
            bob.commit();
            System.out.println("balance " + balance(bob));
          }
          versions();
        }

        private static void versions() throws Exception {
          print(
              com.google.protobuf.ByteString.class,
              new com.google.protobuf.UnmodifiableLazyStringList(
                  com.google.protobuf.LazyStringArrayList.EMPTY));
          print(org.jctools.queues.MpmcArrayQueue.class, new org.jctools.queues.MpscOnSpscQueue<>(8).poll());
          print(
              com.github.benmanes.caffeine.cache.Caffeine.class,
              com.github.benmanes.caffeine.cache.tracing.Tracer.isEnabled());
          print(
              com.fasterxml.jackson.core.JsonFactory.class,
              new com.fasterxml.jackson.core.JsonFactory().createJsonParser("1").nextToken());
          print(
              net.bytebuddy.ByteBuddy.class,
              new net.bytebuddy.ByteBuddy(net.bytebuddy.ClassFileVersion.JAVA_V6)
                  .withIgnoredMethods(net.bytebuddy.matcher.ElementMatchers.none())
                  .subclass(Object.class)
                  .make()
                  .getBytes()
                  .length > 0);
          print(picocli.CommandLine.class, picocli.CommandLine.class.getField("VERSION").get(null));
          org.jgrapht.graph.SimpleGraph<String, Object> graph =
              new org.jgrapht.graph.SimpleGraph<>(Object.class);
          graph.addVertex("a");
          graph.addVertex("b");
          graph.addEdge("a", "b");
          print(
              org.jgrapht.Graph.class,
              new org.jgrapht.alg.DijkstraShortestPath<>(graph, "a", "b").getPathLength());
          print(org.sat4j.core.VecInt.class, new org.sat4j.tools.SearchListenerAdapter<>() {} != null);
          print(org.tukaani.xz.LZMA2Options.class, new org.tukaani.xz.LZMA2Options().getDictSize());
          print(org.slf4j.MDC.class, org.slf4j.impl.StaticLoggerBinder.getSingleton() != null);
        }

            private static void print(Class<?> library, Object result) {
          String file = library.getProtectionDomain().getCodeSource().getLocation().getPath();
          System.out.println(
              file.substring(file.lastIndexOf('/') + 1) + " " + (result == null ? "null" : result));
        }

        private static int balance(Connection connection) throws SQLException {
          ResultSet rows = connection.createStatement().executeQuery("SELECT balance FROM account");
          rows.next();
          return rows.getInt(1);
        }
      }
      """;

  @TempDir private static Path folder = Path.of("");

  private static String classPath = "";

  /** What it prints unwatched. */
  private static List<String> unwatched = List.of();

  @BeforeAll
  static void compile() throws Exception {
    List<String> entries = new ArrayList<>();
    try (Stream<Path> jars = Files.list(Path.of("target", "old-libraries"))) {
      jars.map(jar -> jar.toAbsolutePath().toString()).sorted().forEach(entries::add);
    }
    assertThat(entries).hasSize(11);
    entries.add(folder.toString());
    entries.add(
        Path.of(org.h2.Driver.class.getProtectionDomain().getCodeSource().getLocation().toURI())
            .toString());
    classPath = String.join(File.pathSeparator, entries);
    Path source = Files.writeString(folder.resolve("Application.java"), APPLICATION);
    JavaCompiler compiler = ToolProvider.getSystemJavaCompiler();
    StringWriter messages = new StringWriter();
    try (StandardJavaFileManager files = compiler.getStandardFileManager(null, null, null)) {
      boolean compiled =
          compiler
              .getTask(
                  messages,
                  files,
                  null,
                  List.of("-cp", classPath, "-d", folder.toString()),
                  null,
                  files.getJavaFileObjects(source))
              .call();
      assertThat(compiled).as(messages.toString()).isTrue();
    }
    unwatched = run(List.of("-cp", classPath), "jdbc:h2:mem:bank");
    assertThat(unwatched)
        .contains("protobuf-java-2.5.0.jar []", "picocli-0.9.7.jar 0.9.7", "balance 80")
        .hasSize(21);
  }

  @Test
  void agentLeavesTheLibrariesOfTheApplication() throws Exception {
    Path report = folder.resolve("agent.jsonl");
    List<String> lines =
        run(
            List.of(
                "-javaagent:" + JarRun.JAR + "=prepare=auto,log=slf4j,report=" + report,
                "-cp",
                classPath),
            "jdbc:h2:mem:bank");

    assertThat(lines).isEqualTo(unwatched);
    assertThat(Files.readString(report)).contains("LOST_UPDATE", "Application.java:");
    assertThat(errors()).contains("LOST_UPDATE");
  }

  /** The harder order: txwatch.jar is first on the class path. */
  @Test
  void urlLeavesTheLibrariesOfTheApplication() throws Exception {
    Path report = folder.resolve("url.jsonl");
    List<String> lines =
        run(
            List.of("-cp", JarRun.JAR + File.pathSeparator + classPath),
            "jdbc:txwatch:h2:mem:bank?txwatch.prepare=auto&txwatch.report=" + report);

    assertThat(lines).isEqualTo(unwatched);
    assertThat(Files.readString(report)).contains("LOST_UPDATE", "Application.java:");
  }

  /** Runs the application; returns what it prints. */
  private static List<String> run(List<String> options, String url)
      throws IOException, InterruptedException {
    List<String> command = new ArrayList<>();
    command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    command.addAll(options);
    command.addAll(List.of("Application", url));
    Path out = folder.resolve("out");
    Process process =
        new ProcessBuilder(command)
            .redirectOutput(out.toFile())
            .redirectError(folder.resolve("err").toFile())
            .start();
    try {
      assertThat(process.waitFor(60, TimeUnit.SECONDS)).isTrue();
      assertThat(process.exitValue()).as(errors()).isZero();
    } finally {
      process.destroyForcibly();
    }
    return Files.readAllLines(out);
  }

  private static String errors() throws IOException {
    return Files.readString(folder.resolve("err"));
  }
}
