package io.txwatch.compat;

import static org.assertj.core.api.Assertions.assertThat;

import io.txwatch.junit.InterleaveTest;
import io.txwatch.servers.ServerKind;
import io.txwatch.servers.TestServers;
import java.io.File;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.example.shop.Schema;
import org.example.shop.orders.LaunchedTests;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * Tests in every order with what an application's team has: txwatch.jar, the extension, JUnit and
 * the libraries of the application, on PostgreSQL.
 */
class EveryOrderIT {

  private static final Path MODULE = Path.of("").toAbsolutePath();
  private static final Path JAR = MODULE.resolveSibling("cli/target/txwatch.jar");
  private static final Pattern OUTCOME =
      Pattern.compile("(?m)^> .*test-template:(\\w+)\\(.* (\\w+) in");

  @TempDir private Path folder = Path.of("");

  private String out = "";

  @Test
  void oversellThroughSpringsProxiesIsFoundAndAVersionPreventsIt() throws Exception {
    String url = TestServers.freshDatabase(ServerKind.POSTGRESQL);
    assertThat(run("OrdersInEveryOrder", Application.SPRING_JPA, url, ""))
        .as(out)
        .isEqualTo(
            Map.of(
                "place", "FAILED",
                "placeByTemplate", "FAILED",
                "placeVersioned", "SUCCESSFUL",
                "countAndPlace", "SUCCESSFUL"));
    assertThat(out)
        .contains(
            "Error: RACE: ", "LOST_UPDATE (G-single)", "OrderService.place (OrderService.java:")
        .doesNotContain("UNDECIDED", "at Interleaving", "AbandonedException");
  }

  @ParameterizedTest
  @CsvSource({
    "SPRING_JPA, jpa, FAILED",
    "SPRING_DATA_JDBC, data-jdbc, SUCCESSFUL",
    "JOOQ, jooq, SUCCESSFUL",
    "MYBATIS, mybatis, SUCCESSFUL",
    "JDBI, jdbi, SUCCESSFUL"
  })
  void stockThatIsReadAndWrittenIsFoundWithEachLibrary(
      Application application, String library, String buying) throws Exception {
    String url = TestServers.freshDatabase(ServerKind.POSTGRESQL);
    Schema.create(url);
    assertThat(run("ShopsInEveryOrder", application, url, library))
        .as(out)
        .isEqualTo(Map.of("sell", "FAILED", "buy", buying));
    assertThat(out).contains("Error: RACE: ", "LOST_UPDATE (G-single)").doesNotContain("UNDECIDED");
  }

  /** The outcome of each test of a class, by its name. */
  private Map<String, String> run(String tests, Application application, String url, String library)
      throws Exception {
    Path printed = folder.resolve("out");
    Process process =
        new ProcessBuilder(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-XX:TieredStopAtLevel=1",
                "-Dshop.url=" + url,
                "-Dshop.library=" + library,
                "-cp",
                classPath(application),
                LaunchedTests.class.getName(),
                "org.example.shop.orders." + tests,
                folder.toString())
            .directory(folder.toFile())
            .redirectErrorStream(true)
            .redirectOutput(printed.toFile())
            .start();
    try {
      assertThat(process.waitFor(5, TimeUnit.MINUTES)).isTrue();
    } finally {
      process.destroyForcibly();
    }
    out = Files.readString(printed);
    Map<String, String> outcomes = new TreeMap<>();
    for (Matcher line = OUTCOME.matcher(out); line.find(); ) {
      outcomes.put(line.group(1), line.group(2));
    }
    return outcomes;
  }

  private static String classPath(Application application) throws Exception {
    String libraries = Files.readString(MODULE.resolve("target/applications.classpath"));
    Path extension =
        Path.of(InterleaveTest.class.getProtectionDomain().getCodeSource().getLocation().toURI());
    List<String> names = List.of("junit-", "opentest4j", "apiguardian");
    return Stream.of(
            Stream.of(
                MODULE.resolve("target/classes").toString(),
                MODULE.resolve("target/test-classes").toString(),
                JAR.toString(),
                extension.toString()),
            Arrays.stream(libraries.strip().split(File.pathSeparator)).filter(application::has),
            Arrays.stream(System.getProperty("java.class.path").split(File.pathSeparator))
                .filter(jar -> names.stream().anyMatch(new File(jar).getName()::startsWith)))
        .flatMap(each -> each)
        .distinct()
        .collect(Collectors.joining(File.pathSeparator));
  }
}
