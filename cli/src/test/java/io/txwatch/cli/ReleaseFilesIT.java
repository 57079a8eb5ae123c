package io.txwatch.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.txwatch.history.HistoryWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.snakeyaml.engine.v2.api.Load;
import org.snakeyaml.engine.v2.api.LoadSettings;

/** What a release has for pipelines and clusters: its syntax, and the commands in it. */
class ReleaseFilesIT {

  private static final Path RELEASE = Path.of("..", "release");

  @TempDir private Path directory = Path.of("");

  private static Map<?, ?> yaml(String file) throws Exception {
    return (Map<?, ?>)
        new Load(LoadSettings.builder().build())
            .loadFromString(Files.readString(RELEASE.resolve(file)));
  }

  private static List<Map<?, ?>> documents(String file) throws Exception {
    List<Map<?, ?>> all = new ArrayList<>();
    new Load(LoadSettings.builder().build())
        .loadAllFromString(Files.readString(RELEASE.resolve(file)))
        .forEach(document -> all.add((Map<?, ?>) document));
    return all;
  }

  private static Map<?, ?> map(Map<?, ?> of, String field) {
    return (Map<?, ?>) Objects.requireNonNull(of.get(field));
  }

  private static List<?> list(Map<?, ?> of, String field) {
    return (List<?>) Objects.requireNonNull(of.get(field));
  }

  @ParameterizedTest
  @ValueSource(strings = {"action.yml", "gitlab-ci.yml", "kubernetes.yaml", "compose.yaml"})
  void filesAreYaml(String file) throws Exception {
    assertThat(yaml(file)).isNotEmpty();
  }

  @Test
  void filesForFlinkAreComplete() throws Exception {
    List<Map<?, ?>> documents = documents("flink-kubernetes.yaml");
    assertThat(documents)
        .allSatisfy(document -> assertThat(map(document, "metadata").get("name")).isNotNull());
    assertThat(documents.stream().map(document -> String.valueOf(document.get("kind"))))
        .containsExactly(
            "ConfigMap", "PersistentVolumeClaim", "Service", "Deployment", "Deployment", "Job");
    Map<?, ?> services = map(yaml("compose.yaml"), "services");
    for (Object service : services.values()) {
      Object needed = ((Map<?, ?>) service).get("depends_on");
      if (needed instanceof Map<?, ?> byName) {
        assertThat(byName.keySet()).allMatch(services::containsKey);
      }
    }
  }

  /** The files that the documentation names. */
  @Test
  void documentedFilesExist() throws Exception {
    String text = Files.readString(Path.of("..", "docs", "beyond-one-machine.md"));
    assertThat(found("`release/([^`]+)`", text))
        .isNotEmpty()
        .allSatisfy(file -> assertThat(RELEASE.resolve(file)).isRegularFile());
  }

  @Test
  void filesAreCopiedIntoAReleaseAndListed() throws Exception {
    String make = Files.readString(RELEASE.resolve("make"));
    String list = Files.readString(Path.of("..", "docs", "pipelines.md"));
    List<String> names = new ArrayList<>(List.of("txwatch-flink.jar"));
    try (Stream<Path> files = Files.list(RELEASE)) {
      files
          .map(file -> file.getFileName().toString())
          .filter(name -> name.contains("."))
          .forEach(names::add);
    }
    assertThat(names).contains("compose.yaml");
    for (String name : names) {
      assertThat(make).containsPattern("\\bcp [^\n]*[/{,]" + Pattern.quote(name) + "[\",}]");
      assertThat(list).contains("`" + name + "`");
    }
  }

  @Test
  void imagesHaveTheVersionsThatTheJobIsBuiltFor() throws Exception {
    String flink = property("flink.version");
    String kafka = property("kafka.version");
    String java = property("maven.compiler.release");
    String compose = Files.readString(RELEASE.resolve("compose.yaml"));
    assertThat(found("image: (flink:\\S+)", compose))
        .containsExactly("flink:" + flink + "-java" + java);
    assertThat(found("image: (apache/kafka:\\S+)", compose))
        .isNotEmpty()
        .containsOnly("apache/kafka:" + kafka);
    assertThat(
            found("FROM (flink:\\S+)", Files.readString(RELEASE.resolve("flink-kubernetes.yaml"))))
        .containsExactly("flink:" + flink + "-java" + java);
    String minor = flink.substring(0, flink.lastIndexOf('.'));
    assertThat(property("flink-connector-kafka.version")).endsWith("-" + minor);
    String document = Files.readString(Path.of("..", "docs", "beyond-one-machine.md"));
    assertThat(found("Flink (\\d+\\.\\d+)", document)).isNotEmpty().containsOnly(minor);
  }

  private static String property(String name) throws Exception {
    String pom = Files.readString(Path.of("..", "pom.xml"));
    return found("<" + Pattern.quote(name) + ">([^<]+)<", pom).get(0);
  }

  private static List<String> found(String pattern, String text) {
    return Pattern.compile(pattern).matcher(text).results().map(m -> m.group(1)).toList();
  }

  /** The steps of the Action that are commands, as GitHub's runner executes them. */
  @Test
  void stepsOfTheActionReportAndFail() throws Exception {
    record();
    List<String> steps =
        list(map(yaml("action.yml"), "runs"), "steps").stream()
            .map(step -> ((Map<?, ?>) step).get("run"))
            .filter(String.class::isInstance)
            .map(String.class::cast)
            .toList();
    assertThat(steps).hasSize(2);
    assertThat(run(steps.get(0))).isZero();
    assertThat(Files.readString(directory.resolve("txwatch.sarif"))).contains("LOST_UPDATE");
    assertThat(Files.readString(directory.resolve("summary.md"))).contains("Lost update");
    assertThat(run(steps.get(1))).isEqualTo(ExitCode.ANOMALIES);
  }

  @Test
  void stepsOfTheGitlabJobReportAndFail() throws Exception {
    record();
    List<?> steps = list(map(yaml("gitlab-ci.yml"), "txwatch"), "script");
    Files.createSymbolicLink(directory.resolve("txwatch.jar"), JarRun.JAR);
    assertThat(run(String.valueOf(steps.get(0)))).isZero();
    assertThat(Files.readString(directory.resolve("txwatch.xml"))).contains("<failure");
    assertThat(run(String.valueOf(steps.get(1)))).isEqualTo(ExitCode.ANOMALIES);
  }

  private void record() throws Exception {
    try (HistoryWriter history = HistoryWriter.open(directory.resolve("test.history"))) {
      new RecordedRaces(history).lostUpdate("account", "balance", "Bank.withdraw", 41);
    }
  }

  private int run(String step) throws Exception {
    ProcessBuilder builder =
        new ProcessBuilder("bash", "--noprofile", "--norc", "-eo", "pipefail", "-c", step)
            .directory(directory.toFile())
            .redirectErrorStream(true)
            .redirectOutput(directory.resolve("out").toFile());
    String java = Path.of(System.getProperty("java.home"), "bin").toString();
    builder.environment().merge("PATH", java, (path, bin) -> bin + ":" + path);
    builder.environment().put("TXWATCH_JAR", JarRun.JAR.toString());
    builder.environment().put("HISTORY", "test.history");
    builder.environment().put("FAIL_ON", "hazard");
    builder.environment().put("GITHUB_STEP_SUMMARY", directory.resolve("summary.md").toString());
    return builder.start().waitFor();
  }
}
