package io.txwatch.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.openqa.selenium.By;
import org.openqa.selenium.chrome.ChromeDriver;
import org.openqa.selenium.chrome.ChromeDriverService;
import org.openqa.selenium.chrome.ChromeOptions;

/** The demo's text, and its live page in Chromium: what is found appears while the demo runs. */
class DemoPageIT {

  private static final Path CHROMIUM = Path.of("/usr/bin/chromium");
  private static final Path DRIVER = Path.of("/usr/bin/chromedriver");
  private static final Pattern ADDRESS =
      Pattern.compile("live page: (http://127\\.0\\.0\\.1:\\d+/) .*");
  private static final Duration LONG = Duration.ofSeconds(180);

  private final List<String> lines = new CopyOnWriteArrayList<>();

  @Test
  void anomaliesAppearWhileTheDemoRuns(@TempDir Path folder) throws Exception {
    ChromeDriver browser = hasChromium() ? browser() : null;
    Path report = folder.resolve("report.html");
    Path errors = folder.resolve("errors");
    Process demo =
        new ProcessBuilder(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-XX:TieredStopAtLevel=1",
                "-XX:+UseSerialGC",
                "-jar",
                JarRun.JAR.toString(),
                "demo",
                "--hold",
                "--report",
                report.toString())
            .redirectError(errors.toFile())
            .start();
    try {
      Thread reader = new Thread(() -> read(demo));
      reader.setDaemon(true);
      reader.start();
      Awaitility.await().atMost(LONG).until(() -> !address().isEmpty());
      if (browser != null) {
        assertPageFollows(browser);
      }
      awaitEnd();
      assertTextShowsEachPhenomenonOnce(report);
      assertThat(errors).isEmptyFile();
      assumeTrue(
          browser != null,
          "the demo's page is not tested: this machine has no Chromium (packages chromium,"
              + " chromium-driver)");
    } finally {
      demo.destroy();
      if (browser != null) {
        browser.quit();
      }
    }
  }

  private static boolean hasChromium() {
    return Files.isExecutable(CHROMIUM) && Files.isExecutable(DRIVER);
  }

  private void assertTextShowsEachPhenomenonOnce(Path report) {
    assertThat(String.join("\n", lines))
        .contains("lost-update, as first written", "lost-update, corrected", "nothing, clean")
        .containsOnlyOnce("LOST_UPDATE (G-single)  HAZARD")
        .contains("BankService.java:")
        .contains("report: " + report.toUri());
    assertThat(report).content().contains("\"phenomenon\":\"LOST_UPDATE\"", "BankService.java:");
  }

  private void awaitEnd() {
    Awaitility.await()
        .atMost(LONG)
        .until(() -> lines.stream().anyMatch(line -> line.contains("stop it with Ctrl+C")));
  }

  private void assertPageFollows(ChromeDriver browser) {
    browser.get(address());
    Awaitility.await().atMost(LONG).until(() -> count(browser).contains(" kinds of anomaly"));
    assertThat(lines).noneMatch(line -> line.endsWith("s in all"));
    awaitEnd();
    Awaitility.await().atMost(LONG).until(() -> count(browser).startsWith("4 of 4 kinds"));
    browser.findElement(By.partialLinkText("write skew")).click();
    Awaitility.await()
        .atMost(LONG)
        .ignoreExceptions()
        .until(
            () ->
                browser
                    .findElement(By.cssSelector("#detail h2"))
                    .getText()
                    .equals("write skew hazard"));
    assertThat(browser.findElements(By.cssSelector("svg.arrows > path"))).hasSize(2);
  }

  private void read(Process demo) {
    try (BufferedReader out =
        new BufferedReader(new InputStreamReader(demo.getInputStream(), StandardCharsets.UTF_8))) {
      out.lines().forEach(lines::add);
    } catch (java.io.IOException e) {
      lines.add(e.toString());
    }
  }

  private String address() {
    return lines.stream()
        .map(ADDRESS::matcher)
        .filter(Matcher::matches)
        .map(found -> found.group(1))
        .findFirst()
        .orElse("");
  }

  private static String count(ChromeDriver browser) {
    return browser.findElement(By.id("count")).getText();
  }

  private static ChromeDriver browser() {
    ChromeOptions options = new ChromeOptions();
    options.setBinary(CHROMIUM.toFile());
    options.addArguments(
        "--headless=new",
        "--no-sandbox",
        "--disable-gpu",
        "--disable-dev-shm-usage",
        "--no-first-run",
        "--window-size=1280,900");
    return new ChromeDriver(
        new ChromeDriverService.Builder()
            .usingDriverExecutable(DRIVER.toFile())
            .usingAnyFreePort()
            .build(),
        options);
  }
}
