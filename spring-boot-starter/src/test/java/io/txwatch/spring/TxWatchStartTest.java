package io.txwatch.spring;

import static org.assertj.core.api.Assertions.assertThat;

import io.txwatch.spring.shop.Items;
import io.txwatch.spring.shop.Shop;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.springframework.boot.SpringApplication;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.core.env.MapPropertySource;
import org.springframework.core.env.StandardEnvironment;

/** When the agent is attached, with what settings, and what happens if it cannot be. */
class TxWatchStartTest {

  static final class Application {

    private Application() {}

    public static void main(String[] arguments) {
      try (ConfigurableApplicationContext shop = SpringApplication.run(Shop.class, arguments)) {
        System.out.println("items: " + shop.getBean(Items.class).count());
        System.out.println("endpoint: " + shop.containsBean("txwatchEndpoint"));
      }
    }
  }

  @Test
  void settingsOfTheApplicationArePassedOnUnlessTheAgentReadsThemItself() {
    StandardEnvironment environment = new StandardEnvironment();
    environment
        .getPropertySources()
        .addLast(
            new MapPropertySource(
                "application.yml",
                Map.of(
                    "folder", "/var/log",
                    "txwatch.enabled", "true",
                    "txwatch.history", "${folder}/shop.history",
                    "txwatch.unknown", "1")));

    assertThat(TxWatchStart.settings(environment))
        .isEqualTo(Map.of("txwatch.history", "/var/log/shop.history", "txwatch.unknown", "1"));
  }

  @Test
  void withoutThePropertyNothingIsWatched(@TempDir Path folder) throws Exception {
    assertThat(run(folder))
        .contains("items: 0", "endpoint: false")
        .doesNotContain("txwatch: in all");
  }

  @Test
  void withThePropertyTheReportIsPrintedAtTheEnd(@TempDir Path folder) throws Exception {
    assertThat(run(folder, "--txwatch.enabled=true"))
        .contains("items: 0", "endpoint: true", "rows seen for");
  }

  @Test
  void wrongSettingIsOneLineAndTheApplicationRunsUnwatched(@TempDir Path folder) throws Exception {
    assertThat(run(folder, "--txwatch.enabled=true", "--txwatch.instrument=everything"))
        .contains("items: 0")
        .containsOnlyOnce("txwatch: the application runs unwatched: ")
        .contains("everything", "expected inline|items|predicates|off");
  }

  private static String run(Path folder, String... arguments) throws Exception {
    Path output = folder.resolve("output");
    List<String> command =
        new ArrayList<>(
            List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-XX:TieredStopAtLevel=1",
                "-XX:+UseSerialGC",
                "-cp",
                System.getProperty("java.class.path"),
                Application.class.getName(),
                "--spring.main.web-application-type=none",
                "--spring.main.lazy-initialization=true"));
    command.addAll(List.of(arguments));
    Process process =
        new ProcessBuilder(command)
            .redirectErrorStream(true)
            .redirectOutput(output.toFile())
            .start();
    assertThat(process.waitFor(120, TimeUnit.SECONDS)).isTrue();
    assertThat(process.exitValue()).isZero();
    return Files.readString(output);
  }
}
