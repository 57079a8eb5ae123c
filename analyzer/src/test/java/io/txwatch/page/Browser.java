package io.txwatch.page;

import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import java.util.logging.Level;
import java.util.stream.Stream;
import org.awaitility.Awaitility;
import org.openqa.selenium.By;
import org.openqa.selenium.Dimension;
import org.openqa.selenium.JavascriptExecutor;
import org.openqa.selenium.WebElement;
import org.openqa.selenium.chrome.ChromeDriver;
import org.openqa.selenium.chrome.ChromeDriverService;
import org.openqa.selenium.chrome.ChromeOptions;
import org.openqa.selenium.logging.LogEntry;
import org.openqa.selenium.logging.LogType;
import org.openqa.selenium.logging.LoggingPreferences;

/** Debian's Chromium, headless, without any connection of its own. */
final class Browser implements AutoCloseable {

  static final Dimension DESKTOP = new Dimension(1280, 900);
  static final Dimension PHONE = new Dimension(390, 844);

  private static final Path CHROMIUM = Path.of("/usr/bin/chromium");
  private static final Path DRIVER = Path.of("/usr/bin/chromedriver");

  private final ChromeDriver driver;

  Browser() {
    LoggingPreferences logs = new LoggingPreferences();
    logs.enable(LogType.PERFORMANCE, Level.ALL);
    logs.enable(LogType.BROWSER, Level.ALL);
    ChromeOptions options = new ChromeOptions();
    options.setBinary(CHROMIUM.toFile());
    options.setCapability("goog:loggingPrefs", logs);
    options.addArguments(
        "--headless=new",
        "--no-sandbox",
        "--disable-gpu",
        "--hide-scrollbars",
        "--disable-quic",
        "--disable-dev-shm-usage",
        "--no-first-run",
        "--disable-background-networking",
        "--disable-component-update",
        "--disable-sync",
        "--force-color-profile=srgb");
    this.driver =
        new ChromeDriver(
            new ChromeDriverService.Builder()
                .usingDriverExecutable(DRIVER.toFile())
                .usingAnyFreePort()
                .build(),
            options);
  }

  /**
   * True if this machine has Chromium and its driver: {@code chromium}, {@code chromium-driver}.
   */
  static boolean isInstalled() {
    return Files.isExecutable(CHROMIUM) && Files.isExecutable(DRIVER);
  }

  ChromeDriver driver() {
    return driver;
  }

  /**
   * Loads a page and waits until it was painted: one that has loaded can have no width yet, or not
   * be the active one ("Not attached to an active page").
   */
  void open(String url) {
    driver.get("about:blank"); // else a change of the fragment alone loads nothing
    driver.get(url);
    driver.executeAsyncScript(
        """
        const done = arguments[0];
        requestAnimationFrame(() => requestAnimationFrame(() => done(true)));
        """);
  }

  /** Follows a link to a fragment of the page, and waits until the page has handled that. */
  void follow(String linkText) {
    WebElement link = driver.findElement(By.partialLinkText(linkText));
    run(
        """
        window.followed = location.hash === arguments[0].hash;
        addEventListener('hashchange', () => window.followed = true, {once: true});
        """,
        link);
    link.click();
    Awaitility.await()
        .atMost(Duration.ofMinutes(2))
        .until(() -> run("return window.followed").equals(true));
  }

  /** The text of the first element that a CSS selector selects. */
  String text(String selector) {
    return driver.findElement(By.cssSelector(selector)).getText();
  }

  List<String> texts(String selector) {
    return driver.findElements(By.cssSelector(selector)).stream().map(WebElement::getText).toList();
  }

  Object run(String script, Object... arguments) {
    Object result = ((JavascriptExecutor) driver).executeScript(script, arguments);
    return result == null ? "" : result;
  }

  void setSize(Dimension size) {
    driver.executeCdpCommand(
        "Emulation.setDeviceMetricsOverride",
        Map.of(
            "width", size.width, "height", size.height, "deviceScaleFactor", 1, "mobile", false));
  }

  void setDark(boolean dark) {
    driver.executeCdpCommand(
        "Emulation.setEmulatedMedia",
        Map.of(
            "features",
            List.of(
                Map.of("name", "prefers-color-scheme", "value", dark ? "dark" : "light"),
                Map.of("name", "prefers-reduced-motion", "value", "reduce"))));
  }

  /** Writes the page, as long as it is, into a folder of the build. */
  void screenshot(String name) throws IOException {
    Path folder = Files.createDirectories(Path.of("target", "screenshots"));
    Map<String, Object> answer =
        driver.executeCdpCommand("Page.captureScreenshot", Map.of("captureBeyondViewport", true));
    Files.write(
        folder.resolve(name + ".png"),
        Base64.getDecoder().decode(String.valueOf(answer.get("data"))));
  }

  /** Everything that was requested since the last call, and the errors on the console. */
  List<String> requests() {
    List<String> urls = new ArrayList<>();
    for (LogEntry entry : driver.manage().logs().get(LogType.PERFORMANCE)) {
      String message = entry.getMessage();
      int at = message.indexOf("\"request\":{");
      if (message.contains("\"Network.requestWillBeSent\"") && at >= 0) {
        urls.add(message.substring(at).replaceFirst("(?s).*?\"url\":\"([^\"]*)\".*", "$1"));
      }
    }
    return urls;
  }

  List<String> consoleErrors() {
    try (Stream<LogEntry> entries = driver.manage().logs().get(LogType.BROWSER).getAll().stream()) {
      return entries.map(LogEntry::getMessage).toList();
    }
  }

  /**
   * The violations that axe-core finds, each as its rule and the elements.
   *
   * @param rules the only ones that are checked; all if none is named
   */
  String accessibilityViolations(String... rules) throws IOException {
    if (run("return typeof axe").equals("undefined")) {
      try (InputStream in = Browser.class.getResourceAsStream("/axe.min.js")) {
        run(new String(in.readAllBytes(), StandardCharsets.UTF_8));
      }
    }
    return String.valueOf(
        driver.executeAsyncScript(
            """
            const done = arguments[arguments.length - 1];
            axe.run(arguments[0].length ? {runOnly: arguments[0]} : {}).then(result => done(result.violations
              .map(found => found.id + ': ' + found.nodes.map(node => node.html).join(' | ')).join('\\n')));
            """,
            List.of(rules)));
  }

  @Override
  public void close() {
    driver.quit();
  }
}
