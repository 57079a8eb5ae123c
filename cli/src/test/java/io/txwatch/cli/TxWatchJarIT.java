package io.txwatch.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.jar.Attributes;
import java.util.jar.JarEntry;
import java.util.jar.JarFile;
import java.util.jar.JarInputStream;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The one jar: what an application that carries it gets to see, and that its commands run. */
class TxWatchJarIT {

  @TempDir private Path directory = Path.of("");

  @Test
  void everyClassIsBelowIoTxwatch() throws IOException {
    assertThat(entries())
        .filteredOn(name -> name.endsWith(".class"))
        .hasSizeGreaterThan(1_000)
        .allMatch(name -> name.startsWith("io/txwatch/"));
  }

  /** An application that lacks a resource must not find that of a library in the jar. */
  @Test
  void everyOtherFileIsTxwatchsOwnToo() throws IOException {
    assertThat(entries())
        .allMatch(
            name ->
                name.startsWith("io/txwatch/")
                    || name.startsWith("nested/")
                    || name.matches("META-INF/(MANIFEST.MF|LICENSE|NOTICE|[^/]+-LICENSE)")
                    || name.startsWith("META-INF/licenses/")
                    || name.startsWith("META-INF/services/"));
  }

  @Test
  void publicApiIsNotRelocated() throws IOException {
    assertThat(entries())
        .contains(
            "io/txwatch/TxWatch.class",
            "io/txwatch/TxWatchReport.class",
            "io/txwatch/FoundAnomaly.class",
            "io/txwatch/anomaly/Phenomenon.class",
            "io/txwatch/jdbc/TxWatchDataSource.class");
  }

  @Test
  void onlyTheTxwatchDriverIsRegistered() throws IOException {
    assertThat(text("META-INF/services/java.sql.Driver").strip())
        .isEqualTo("io.txwatch.jdbc.TxWatchDriver");
  }

  @Test
  void everyServiceIsRelocatedAndItsProvidersExist() throws IOException {
    List<String> entries = entries();
    List<String> services =
        entries.stream().filter(name -> name.matches("META-INF/services/.+")).toList();
    assertThat(services).contains("META-INF/services/io.txwatch.history.EventSinkProvider");
    for (String service : services) {
      if (!service.endsWith("java.sql.Driver")) {
        assertThat(service).startsWith("META-INF/services/io.txwatch.");
      }
      for (String provider : text(service).lines().filter(line -> !line.isBlank()).toList()) {
        assertThat(entries).contains(provider.replace('.', '/') + ".class");
      }
    }
  }

  @Test
  void vendorDriversAndTheDemoAreNested() throws IOException {
    assertThat(entries())
        .contains(
            "nested/drivers/h2.jar",
            "nested/drivers/postgresql.jar",
            "nested/drivers/mariadb-java-client.jar",
            "nested/drivers/mysql-connector-j.jar",
            "nested/drivers/sqlite-jdbc.jar",
            "nested/demo/txwatch-demo-app.jar",
            "nested/demo/HikariCP.jar")
        .noneMatch(name -> name.startsWith("META-INF/versions/"));
  }

  /** What applications load: without the commands, their libraries and what is nested for them. */
  @Test
  void agentsJarIsSmall() throws IOException {
    assertThat(Files.size(JarRun.AGENT_JAR)).isLessThan(20_000_000);
    assertThat(entries(JarRun.AGENT_JAR))
        .contains("io/txwatch/agent/TxWatchAgent.class", "io/txwatch/TxWatch.class")
        .noneMatch(
            name ->
                name.startsWith("nested/")
                    || name.startsWith("io/txwatch/cli/")
                    || name.startsWith("io/txwatch/shaded/picocli/"))
        .isSubsetOf(entries());
  }

  /** The protocol's SDK lies in the jar as jars, and is loaded by the command alone. */
  @Test
  void mcpAnswersWhatAScriptWrites(@TempDir Path directory) throws Exception {
    Path in =
        Files.writeString(
            directory.resolve("requests"),
            """
            {"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-06-18",\
            "capabilities":{},"clientInfo":{"name":"test","version":"1"}}}
            {"jsonrpc":"2.0","method":"notifications/initialized"}
            this is no message
            {"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"interleave",\
            "arguments":{"isolation":"RC","setup":["CREATE TABLE t (v INT)",\
            "INSERT INTO t VALUES (1)"],"operations":[["SELECT v FROM t","UPDATE t SET v = 2"],\
            ["SELECT v FROM t","UPDATE t SET v = 3"]]}}}
            """);
    Path out = directory.resolve("out");
    Path err = directory.resolve("err");
    Process process = JarRun.start(in, out, err, "mcp", "--url", "jdbc:h2:mem:script");
    assertThat(process.waitFor(120, TimeUnit.SECONDS)).isTrue();
    assertThat(process.exitValue()).isZero();
    assertThat(Files.readAllLines(out))
        .hasSize(2)
        .anyMatch(line -> line.contains("\"id\":1") && line.contains("txwatch"))
        .anyMatch(line -> line.contains("\"id\":2") && line.contains("RACE"));
    assertThat(Files.readString(err))
        .contains("a line of standard input is not a message of MCP")
        .doesNotContain("SLF4J");
  }

  @Test
  void everyLibraryInTheJarHasItsLicenceText() throws IOException {
    List<String> entries = entries();
    Stream<String> relocated =
        entries.stream()
            .filter(name -> name.startsWith("io/txwatch/shaded/"))
            .map(name -> name.replaceFirst("(io/txwatch/shaded/[^/]+/).*", "$1"));
    Stream<String> nested = entries.stream().filter(name -> name.matches("nested/.+[.]jar"));
    Map<String, String> texts =
        text("META-INF/licenses/README.txt")
            .lines()
            .filter(line -> line.matches("(io/txwatch|nested)/.*"))
            .collect(
                Collectors.toMap(
                    line -> line.replaceFirst(" .*", ""), line -> line.replaceFirst(".* ", "")));

    assertThat(texts)
        .containsOnlyKeys(
            Stream.concat(relocated, nested)
                .filter(name -> !name.equals("io/txwatch/shaded/"))
                .distinct()
                .toList());
    for (Map.Entry<String, String> library : texts.entrySet()) {
      String text = library.getValue();
      assertThat(text.endsWith(".txt") && !text.contains("/") ? entries : nested(library.getKey()))
          .contains(
              text.endsWith(".txt") && !text.contains("/") ? "META-INF/licenses/" + text : text);
    }
  }

  private static List<String> nested(String name) throws IOException {
    List<String> names = new ArrayList<>();
    try (JarFile jar = new JarFile(JarRun.JAR.toFile());
        JarInputStream inner = new JarInputStream(jar.getInputStream(jar.getJarEntry(name)))) {
      for (JarEntry entry = inner.getNextJarEntry();
          entry != null;
          entry = inner.getNextJarEntry()) {
        names.add(entry.getName());
      }
    }
    return names;
  }

  @Test
  void manifestNamesCommandAndAgent() throws IOException {
    try (JarFile jar = new JarFile(JarRun.JAR.toFile())) {
      Attributes manifest = jar.getManifest().getMainAttributes();
      assertThat(manifest.getValue("Automatic-Module-Name")).isEqualTo("io.txwatch");
      assertThat(manifest.getValue("Enable-Native-Access")).isEqualTo("ALL-UNNAMED");
      for (String role : List.of("Main-Class", "Premain-Class", "Agent-Class")) {
        String name = manifest.getValue(role);
        assertThat(name).isNotNull();
        assertThat(entries()).contains(name.replace('.', '/') + ".class");
      }
    }
  }

  @Test
  void jarAloneFindsItsDrivers() throws Exception {
    String sqlite = "jdbc:sqlite:" + Files.createFile(directory.resolve("shop.db"));
    assertThat(JarRun.of(directory, "unprepare", "--url", sqlite).code()).isZero();
    JarRun h2 = JarRun.of(directory, "prepare", "--url", "jdbc:h2:mem:x", "--json");
    assertThat(h2.code()).isZero();
    assertThat(h2.out()).startsWith("{\"type\":\"prepare\"").hasLineCount(1);
    for (String url : List.of("jdbc:postgresql:", "jdbc:mariadb:", "jdbc:mysql:")) {
      JarRun unreachable = JarRun.of(directory, "prepare", "--url", url + "//127.0.0.1:1/x");
      assertThat(unreachable.code()).isEqualTo(3);
      assertThat(unreachable.err()).startsWith("txwatch: cannot connect to " + url).hasLineCount(1);
    }
  }

  @Test
  void versionIsPrinted() throws Exception {
    JarRun version = JarRun.of(directory, "--version");
    assertThat(version.code()).isZero();
    assertThat(version.out()).matches("txwatch [0-9]+\\.[0-9]+\\.[0-9]+.*\\n");
  }

  private static List<String> entries() throws IOException {
    return entries(JarRun.JAR);
  }

  private static List<String> entries(Path file) throws IOException {
    try (JarFile jar = new JarFile(file.toFile())) {
      return jar.stream().filter(entry -> !entry.isDirectory()).map(JarEntry::getName).toList();
    }
  }

  private static String text(String entry) throws IOException {
    try (JarFile jar = new JarFile(JarRun.JAR.toFile());
        InputStream in = jar.getInputStream(jar.getEntry(entry))) {
      return new String(in.readAllBytes(), StandardCharsets.UTF_8);
    }
  }
}
