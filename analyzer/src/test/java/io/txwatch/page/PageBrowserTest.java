package io.txwatch.page;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.txwatch.anomaly.Anomaly;
import io.txwatch.anomaly.CycleClass;
import io.txwatch.anomaly.Phenomenon;
import io.txwatch.baseline.AcceptedAnomaly;
import io.txwatch.baseline.Fingerprint;
import io.txwatch.coverage.Coverage;
import io.txwatch.coverage.PossibleDeadlock;
import io.txwatch.link.Address;
import io.txwatch.live.LiveSource;
import io.txwatch.report.AnomalyBuilder;
import io.txwatch.report.AnomalyGroups.Group;
import io.txwatch.report.AnomalyId;
import io.txwatch.report.PredictedRaces;
import io.txwatch.report.PredictedRaces.OrderedStatement;
import io.txwatch.report.PredictedRaces.PredictedOperation;
import io.txwatch.report.PredictedRaces.Race;
import io.txwatch.report.Report;
import io.txwatch.slice.CaseSlice;
import io.txwatch.slice.HistorySlice;
import java.io.IOException;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.time.LocalDate;
import java.util.ArrayList;
import java.util.Base64;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.openqa.selenium.By;
import org.openqa.selenium.Keys;

/** The page in a real browser. */
class PageBrowserTest {

  private static @org.jspecify.annotations.Nullable Browser chromium;

  @BeforeAll
  static void start() {
    assumeTrue(
        Browser.isInstalled(),
        "the page is not tested: this machine has no Chromium (packages chromium,"
            + " chromium-driver)");
    chromium = new Browser();
  }

  @AfterAll
  static void stop() {
    if (chromium != null) {
      chromium.close();
    }
  }

  private static Browser browser() {
    return java.util.Objects.requireNonNull(chromium);
  }

  @BeforeEach
  void reset() {
    browser().setSize(Browser.DESKTOP);
    browser().setDark(false);
    browser().requests();
    browser().consoleErrors();
  }

  @Test
  void anomaliesAppearAndDisappearWhileThePageIsOpen() throws Exception {
    TestSource source = new TestSource();
    try (LivePage page = open(source, "")) {
      browser().open(url(page));
      await("Live", () -> browser().text("#connection"));
      assertThat(browser().text("#list")).startsWith("No anomaly so far.");
      await("txwatch of a test", () -> browser().text("h1"));
      source.add(ExampleAnomalies.lostUpdate(), 3);
      await("1 of 1 kinds of anomaly, 3 in all", () -> browser().text("#count"));
      source.add(ExampleAnomalies.skewOfThree(), 1);
      await("2 of 2 kinds of anomaly, 4 in all", () -> browser().text("#count"));
      browser().follow("lost update");
      browser().screenshot("live-desktop-light");
      assertThat(browser().accessibilityViolations()).isEmpty();
      source.removeAll();
      await("", () -> browser().text("#count"));
      assertThat(browser().text("#figures")).contains("observed", "98.7 %", "1.0 MB");
      assertThat(browser().requests())
          .isNotEmpty()
          .allMatch(request -> request.startsWith(url(page)));
      assertThat(browser().consoleErrors()).isEmpty();
    }
  }

  @Test
  void linksStayWhileCountsGrow() throws Exception {
    TestSource source = new TestSource();
    source.add(ExampleAnomalies.lostUpdate(), 1);
    source.add(ExampleAnomalies.skewOfThree(), 1);
    try (LivePage page = open(source, "")) {
      browser().open(url(page));
      await("2 of 2 kinds of anomaly, 2 in all", () -> browser().text("#count"));
      await("lost update hazard", () -> browser().text("#detail h2"));
      browser()
          .run(
              """
              window.link = [...document.querySelectorAll('#list a')].at(-1);
              window.link.focus();
              """);
      for (int count = 2; count < 5; count++) {
        source.removeAll();
        source.add(ExampleAnomalies.longFork(), count);
        source.add(ExampleAnomalies.lostUpdate(), 1);
        source.add(ExampleAnomalies.skewOfThree(), count * 10);
        int all = 11 * count + 1;
        await("3 of 3 kinds of anomaly, " + all + " in all", () -> browser().text("#count"));
        assertThat(browser().run("return document.activeElement === window.link")).isEqualTo(true);
      }
      assertThat(browser().text("#list a:focus")).startsWith("G2-item").contains("40 times");
      assertThat(browser().texts("#list strong"))
          .containsExactly("lost update", "G2-item", "long fork");
      assertThat(browser().consoleErrors()).isEmpty();
    }
  }

  @Test
  void pageSaysWhetherItKnowsAnything() throws Exception {
    TestSource source = new TestSource();
    source.add(ExampleAnomalies.lostUpdate(), 1);
    List<Socket> others = new ArrayList<>();
    try (LivePage page = open(source, "")) {
      for (int i = 0; i < 16; i++) {
        Socket other = new Socket("127.0.0.1", page.address().getPort());
        others.add(other);
        String request = "GET /events HTTP/1.1\r\nHost: localhost\r\n\r\n";
        other.getOutputStream().write(request.getBytes(StandardCharsets.UTF_8));
        assertThat(other.getInputStream().read()).isEqualTo('H');
      }
      browser().open(url(page));
      await(
          "Whether there are anomalies is not known: 16 pages follow this server, and there is no"
              + " room for more.",
          () -> browser().text("#list"));
      assertThat(browser().text("#connection")).isEqualTo("Not connected, trying again");
      others.get(0).close();
      await("1 of 1 kinds of anomaly, 1 in all", () -> browser().text("#count"));
    } finally {
      for (Socket other : others) {
        other.close();
      }
    }
    await("Not connected, trying again", () -> browser().text("#connection"));
    browser().consoleErrors(); // of the answers 503 and of the server's end
  }

  @Test
  void namesThatTurnTheTextAreEscapedAndLongOnesStayInTheirLane(@TempDir Path folder)
      throws Exception {
    String table = "a\u202Ecba\u2066x\u200F" + "long".repeat(60);
    Anomaly anomaly =
        AnomalyBuilder.anomaly(Phenomenon.LOST_UPDATE)
            .cycle(CycleClass.G_SINGLE)
            .t("1 SELECT v FROM t @ A.java:1", "2 UPDATE t SET v = ? @ A.java:2")
            .t("3 UPDATE t SET v = " + "?, ".repeat(7_000) + "0 @ B.java:7")
            .edge("1.1 rw 2.3 " + table + " 7")
            .edge("2.3 ww 1.2 " + table + " 7")
            .advice("Lock " + table + ".")
            .anomaly();
    browser().open(report(folder, anomaly));
    browser().screenshot("hostile-names");
    assertThat(browser().run("return document.body.innerText").toString())
        .contains("a\\u202ecba\\u2066x\\u200flong")
        .doesNotContainPattern("[\\u200F\\u202E\\u2066]");
    assertThat(
            browser()
                .run(
                    """
                    return [...document.querySelectorAll('.bar')].filter(bar => bar.scrollWidth > bar.clientWidth + 1).length
                      + (document.documentElement.scrollWidth > innerWidth ? 100 : 0)
                    """))
        .isEqualTo(0L);
    assertThat(browser().text(".folded summary")).contains("all 21,");
    assertThat(browser().run("return document.querySelector('.folded').offsetHeight < 300"))
        .isEqualTo(true);
    browser().driver().findElement(By.cssSelector(".folded summary")).click();
    await(
        "true",
        () ->
            browser()
                .run("return document.querySelector('.folded div').textContent.length > 20000")
                .toString());
    assertThat(browser().accessibilityViolations()).isEmpty();
  }

  @Test
  void clickOpensAnAnomaly(@TempDir Path folder) throws Exception {
    browser().open(report(folder, ExampleAnomalies.lostUpdate(), ExampleAnomalies.skewOfThree()));
    browser().follow("lost update");
    assertThat(browser().text("#detail h2")).isEqualTo("lost update hazard");
    assertThat(browser().text(".meaning")).startsWith("Two transactions read the same row");
    assertThat(browser().texts(".schedule th"))
        .containsExactly("T1\norders/main#1", "T2\nbilling/main#2");
    assertThat(browser().texts(".bar .place-of-code"))
        .containsExactly(
            "at BankService.transfer (BankService.java:68) (usually)",
            "at BillingService.java:9",
            "at BillingService.java:12",
            "at BankService.transfer (BankService.java:83)");
    assertThat(browser().texts(".bar.context mark, .bar.context .effect"))
        .containsExactly("account", "reads account row 7 (context)");
    assertThat(browser().text(".advice")).contains("Lock the read at BankService.java:68");
    assertThat(browser().texts("[aria-label='Rows and their versions'] tbody tr"))
        .containsExactly(
            "account row 7 T2 reads v0 v0",
            "T1 reads v0 v0",
            "T2 writes v0 v1",
            "T1 writes\nreplaces v1, though T1 had seen v0\nv1 v2");
    assertThat(browser().texts(".why li").get(0)).startsWith("T1 must come before T2 because");
  }

  @Test
  void operationsThatConflictAreAMatrix(@TempDir Path folder) throws Exception {
    browser().open(report(folder, ExampleAnomalies.skewOfThree()));
    assertThat(browser().driver().findElement(By.id("operations-box")).isDisplayed()).isFalse();

    browser().open(report(folder, ExampleAnomalies.lostUpdateOfNamedOperations()));
    browser().driver().findElement(By.cssSelector("#operations-box summary")).click();
    assertThat(browser().texts("#operations tr"))
        .containsExactly(
            "<b>Stock.restock OrderService.sell",
            "<b>Stock.restock 1\naccount",
            "OrderService.sell 1\naccount");
    assertThat(browser().texts(".schedule th small"))
        .containsExactly("OrderService.sell, pool-1", "<b>Stock.restock, pool-2");
    assertThat(browser().accessibilityViolations()).isEmpty();
  }

  @Test
  void possibleDeadlocksAreATable(@TempDir Path folder) throws Exception {
    PossibleDeadlock.Lock one = new PossibleDeadlock.Lock("account", "1", "Bank.java:7", "UPDATE");
    PossibleDeadlock.Lock two = new PossibleDeadlock.Lock("account", "", "Bank.java:9", "UPDATE");
    PossibleDeadlock possible =
        new PossibleDeadlock(
            new PossibleDeadlock.Side("<b>Bank.pay", one, two),
            new PossibleDeadlock.Side("Bank.refund", two, one),
            1200);
    Coverage coverage = TestSource.COVERAGE.with(List.of(possible));
    Report report = new Report("shop.history", Instant.EPOCH, List.of(), 0, coverage);
    browser().open(write(folder, report).toUri().toString());
    browser().driver().findElement(By.cssSelector("#possible-deadlocks-box summary")).click();
    assertThat(browser().texts("#possible-deadlocks td"))
        .containsExactly(
            "<b>Bank.pay: account 1 at Bank.java:7, then account at Bank.java:9",
            "Bank.refund: account at Bank.java:9, then account 1 at Bank.java:7",
            "1,200");
    assertThat(browser().text("#possible-deadlocks p")).isEqualTo(PossibleDeadlock.ADVICE);
    assertThat(browser().accessibilityViolations()).isEmpty();
  }

  @Test
  void tracesAreShownAndFound(@TempDir Path folder) throws Exception {
    browser()
        .open(
            report(folder, ExampleAnomalies.lostUpdateOfTraces(), ExampleAnomalies.skewOfThree()));
    browser().follow("lost update");
    assertThat(browser().texts(".schedule th .trace"))
        .containsExactly(
            "trace 4bf92f3577b34da6a3ce929d0e0e4736",
            "trace </script><script>window.hit=3</script>");
    browser().driver().findElement(By.name("text")).sendKeys("4BF92F3577B34");
    assertThat(browser().text("#count")).startsWith("1 of 2 kinds of anomaly");
    assertThat(browser().run("return window.hit === undefined")).isEqualTo(true);
    assertThat(browser().accessibilityViolations()).isEmpty();
  }

  @Test
  void staleWriteIsExplainedAsPossible(@TempDir Path folder) throws Exception {
    browser().open(report(folder, ExampleAnomalies.staleWrite(), ExampleAnomalies.skewOfThree()));
    browser().follow("stale write");
    assertThat(browser().text("#detail h2")).isEqualTo("stale write hazard possible");
    assertThat(browser().texts("#detail h3"))
        .contains("Why an update may be lost", "The dependencies")
        .doesNotContain("Why no serial order explains it");
    assertThat(browser().texts(".why li"))
        .contains("(possible: T3 may have used other data than T1 read)");
    assertThat(browser().accessibilityViolations()).isEmpty();
    assertThat(browser().consoleErrors()).isEmpty();
  }

  @Test
  void firstAnomalyIsOpenWhereThereIsRoom(@TempDir Path folder) throws Exception {
    String report = report(folder, ExampleAnomalies.lostUpdate(), ExampleAnomalies.skewOfThree());
    browser().open(report);
    assertThat(browser().text("#detail h2")).isEqualTo("lost update hazard");
    browser().setSize(Browser.PHONE);
    browser().open(report);
    assertThat(browser().driver().findElements(By.cssSelector("#detail h2"))).isEmpty();
  }

  @Test
  void buttonsSaveTheSliceAndTheCase(@TempDir Path folder) throws Exception {
    Anomaly anomaly = ExampleAnomalies.lostUpdate();
    TestSource source = new TestSource();
    source.add(anomaly, 1);
    try (LivePage page = open(source, "")) {
      for (String url : List.of(report(folder, anomaly), url(page))) {
        browser().open(url);
        await("1 of 1 kinds of anomaly, 1 in all", () -> browser().text("#count"));
        browser().follow("lost update");
        assertThat(saved("Save the case"))
            .isEqualTo(CaseSlice.of(anomaly).getBytes(StandardCharsets.UTF_8));
        assertThat(saved("Save the history")).isEqualTo(HistorySlice.bytes(anomaly));
        assertThat(new String(saved("Save as JSON"), StandardCharsets.UTF_8))
            .contains("\"phenomenon\": \"LOST_UPDATE\"");
        assertThat(browser().consoleErrors()).isEmpty();
      }
    }
  }

  /** The content that a button offers to be saved. */
  private static byte[] saved(String button) {
    browser()
        .run(
            """
            window.offered = null;
            URL.createObjectURL = blob => {
              blob.arrayBuffer().then(bytes => window.offered = btoa(String.fromCharCode(...new Uint8Array(bytes))));
              return 'data:,';
            };
            """);
    browser().driver().findElement(By.xpath("//button[.='" + button + "']")).click();
    Awaitility.await()
        .atMost(Duration.ofMinutes(2))
        .until(() -> !browser().run("return window.offered").equals(""));
    return Base64.getDecoder().decode(browser().run("return window.offered").toString());
  }

  @Test
  void arrowsJoinTheStatementsOfTheDependencies(@TempDir Path folder) throws Exception {
    browser().open(report(folder, ExampleAnomalies.lostUpdate()));
    browser().follow("lost update");
    String t1 = "1b.1";
    String t2 = "1b.2";
    assertThat(arrowEnds())
        .containsExactly(
            "rw " + t1 + "/1 right -> " + t2 + "/4 left",
            "ww " + t2 + "/4 left -> " + t1 + "/2 right");
  }

  /** Which side of which box each arrow begins and ends at, by where they are drawn. */
  private static List<String> arrowEnds() {
    Object ends =
        browser()
            .run(
                """
                const boxes = [...document.querySelectorAll('[data-bar]')];
                const nearest = (x, y) => boxes.flatMap(box => {
                  const at = box.getBoundingClientRect();
                  const name = box.dataset.bar;
                  return [[at.left, 'left'], [at.right, 'right']].map(([side, of]) =>
                    ({name: name + ' ' + of, distance: Math.hypot(side - x, at.top + at.height / 2 - y)}));
                }).sort((a, b) => a.distance - b.distance)[0].name;
                return [...document.querySelectorAll('svg.arrows > path')].map(path => {
                  const origin = path.ownerSVGElement.getBoundingClientRect();
                  const start = path.getPointAtLength(0);
                  const end = path.getPointAtLength(path.getTotalLength());
                  return path.getAttribute('class') + ' ' + nearest(origin.left + start.x, origin.top + start.y)
                    + ' -> ' + nearest(origin.left + end.x, origin.top + end.y);
                }).join(';');
                """);
    return List.of(ends.toString().split(";"));
  }

  @Test
  void filtersSelect(@TempDir Path folder) throws Exception {
    browser().open(report(folder, ExampleAnomalies.lostUpdate(), ExampleAnomalies.skewOfThree()));
    assertThat(browser().texts(".place h3"))
        .containsExactly(
            "BankService.java:68, BankService.java:83, BillingService.java:12",
            "Roster.java:5, Roster.java:9, Roster.java:15, Roster.java:19, Roster.java:25,"
                + " Roster.java:29");
    for (String[] filter :
        new String[][] {
          {"verdict", "VIOLATION", "G2-item"},
          {"phenomenon", "lost update", "lost update"},
          {"table", "shift", "G2-item"},
          {"level", "READ COMMITTED", "lost update"},
          {"service", "billing", "lost update"},
        }) {
      choose(filter[0], filter[1]);
      assertThat(browser().texts("#list strong")).as(filter[0]).containsExactly(filter[2]);
      choose(filter[0], "all");
    }
    browser().driver().findElement(By.name("text")).sendKeys("roster.java:19");
    assertThat(browser().texts("#list strong")).containsExactly("G2-item");
  }

  private static void choose(String filter, String value) {
    browser().driver().findElements(By.cssSelector("select[name=" + filter + "] option")).stream()
        .filter(option -> option.getText().equals(value))
        .findFirst()
        .orElseThrow()
        .click();
  }

  @Test
  void keyboardReachesEverything(@TempDir Path folder) throws Exception {
    browser().open(report(folder, ExampleAnomalies.lostUpdate(), ExampleAnomalies.skewOfThree()));
    Set<String> reached = new HashSet<>();
    for (int i = 0; i < 20; i++) {
      browser().driver().switchTo().activeElement().sendKeys(Keys.TAB);
      reached.add(
          browser()
              .run(
                  "const at = document.activeElement;return at.tagName + ' ' + (at.name ||"
                      + " at.getAttribute('href') || at.textContent)")
              .toString());
    }
    assertThat(reached)
        .contains(
            "SELECT verdict", "SELECT phenomenon", "SELECT table", "INPUT text", "A #anomalies")
        .contains("A #" + AnomalyId.of(ExampleAnomalies.lostUpdate()))
        .contains("A #" + AnomalyId.of(ExampleAnomalies.skewOfThree()))
        .contains("BUTTON Save the history", "BUTTON Save the case")
        .anyMatch(element -> element.startsWith("DIV")) // the lanes, which scroll
        .contains("SUMMARY About: lost update")
        .contains("SUMMARY What was observed, and what was not");
    browser().driver().findElement(By.partialLinkText("lost update")).sendKeys(Keys.ENTER);
    assertThat(browser().text("#detail h2")).startsWith("lost update");
  }

  @Test
  void tablesColumnsAndPredicatesOfTheDependenciesAreMarked(@TempDir Path folder) throws Exception {
    browser().open(report(folder, ExampleAnomalies.skewThroughAPredicateAndAColumn()));
    browser().follow("write skew");
    assertThat(browser().texts(".bar code")).contains("SELECT *, 2 * 3 FROM account WHERE id = ?");
    assertThat(
            browser()
                .run(
                    """
                    return [...document.querySelectorAll('.bar code')]
                      .map(code => code.textContent.split(' ')[0] + ': '
                        + [...code.querySelectorAll(':scope > mark')].map(mark => mark.textContent.trim()).join(' | '))
                      .sort()
                    """))
        .isEqualTo(
            List.of(
                "INSERT: entry",
                "SELECT: * | account",
                "SELECT: entry | WHERE e.kind IN ('in', 'WHERE')",
                "UPDATE: account | \"Balance\""));
  }

  @Test
  void sqlFullOfMarkupIsText(@TempDir Path folder) throws Exception {
    browser().open(report(folder, ExampleAnomalies.lostUpdate()));
    browser().follow("lost update");
    assertThat(browser().texts(".bar code"))
        .contains(ExampleAnomalies.HOSTILE_SQL.replaceAll(" +", " "));
    assertThat(browser().run("return window.hit === undefined")).isEqualTo(true);
    assertThat(browser().run("return document.images.length")).isEqualTo(0L);
    assertThat(browser().requests())
        .allMatch(request -> request.startsWith("file:") || request.startsWith("about:"));
    assertThat(browser().consoleErrors()).isEmpty();
  }

  /** Dark differs in colors alone: of its rules, that of the contrast. */
  @Test
  void accessibleInLightDarkAndAtPhoneWidth(@TempDir Path folder) throws Exception {
    String report =
        report(
            folder,
            ExampleAnomalies.lostUpdate(),
            ExampleAnomalies.skewOfThree(),
            ExampleAnomalies.longFork());
    for (String link : List.of("", "lost update", "G2-item", "long fork")) {
      for (boolean phone : new boolean[] {false, true}) {
        browser().setDark(false);
        browser().setSize(phone ? Browser.PHONE : Browser.DESKTOP);
        browser().open(report);
        if (!link.isEmpty()) {
          browser().follow(link);
          browser().driver().findElement(By.cssSelector(".about summary")).click();
        }
        String name =
            (link.isEmpty() ? "list" : link.replace(' ', '-')) + (phone ? "-phone" : "-desktop");
        browser().screenshot(name + "-light");
        assertThat(browser().accessibilityViolations()).as(name + "-light").isEmpty();
        browser().setDark(true);
        browser().screenshot(name + "-dark");
        assertThat(browser().accessibilityViolations("color-contrast"))
            .as(name + "-dark")
            .isEmpty();
      }
    }
  }

  private static Race hostileRace() {
    return new Race(
        Optional.of(Phenomenon.LOST_UPDATE),
        "H2 2.4.240",
        "READ COMMITTED",
        List.of(
            new PredictedOperation("<img src=x onerror=window.hit=1>", "Bank.java:7", 12),
            new PredictedOperation("pay", "", 1)),
        List.of(
            new OrderedStatement("T1", "UPDATE a SET b = ?</script>"),
            new OrderedStatement("T2", "commit")),
        List.of("lock the rows"),
        List.of());
  }

  @Test
  void predictedRacesAreASectionOfTheirOwn(@TempDir Path folder) throws Exception {
    Race race = hostileRace();
    Report report =
        new Report(
            "shop.history",
            Instant.EPOCH,
            List.of(new Group(ExampleAnomalies.lostUpdate())),
            0,
            TestSource.COVERAGE,
            Optional.of(new PredictedRaces(List.of(race), 3, 1)));
    String page = write(folder, report).toUri().toString();
    for (org.openqa.selenium.Dimension size : List.of(Browser.PHONE, Browser.DESKTOP)) {
      browser().setSize(size);
      browser().open(page);
      assertThat(browser().text("#predicted h2")).isEqualTo(PredictedRaces.HEADING);
      assertThat(browser().text("#predicted"))
          .containsSubsequence(
              "Lost update: <img src=x onerror=window.hit=1> and pay",
              "H2 2.4.240 at READ COMMITTED",
              "<img src=x onerror=window.hit=1>, Bank.java:7, observed 12 times",
              "T1: UPDATE a SET b = ?</script>",
              "T2: commit",
              "lock the rows",
              "1 race confirmed, 3 refuted, 1 undecided.")
          .doesNotContain("Assumed");
      assertThat(browser().run("return window.hit === undefined")).isEqualTo(true);
      assertThat(browser().accessibilityViolations()).isEmpty();
      assertThat(browser().consoleErrors()).isEmpty();
    }
    browser().open(report(folder, ExampleAnomalies.lostUpdate()));
    assertThat(browser().text("#predicted")).isEmpty();
  }

  @Test
  void predictedRacesAppearAndChangeWhileThePageIsOpen() throws Exception {
    TestSource source = new TestSource();
    try (LivePage page = open(source, "")) {
      browser().open(url(page));
      await("Live", () -> browser().text("#connection"));
      assertThat(browser().driver().findElement(By.id("predicted")).isDisplayed()).isFalse();
      source.predict(new PredictedRaces(List.of(), 3, 1));
      await(
          PredictedRaces.HEADING + "\nNo race confirmed, 3 refuted, 1 undecided.",
          () -> browser().text("#predicted"));
      source.predict(new PredictedRaces(List.of(hostileRace()), 3, 0));
      await(
          "Lost update: <img src=x onerror=window.hit=1> and pay",
          () -> browser().texts("#predicted h3").stream().findFirst().orElse(""));
      assertThat(browser().text("#predicted"))
          .startsWith(PredictedRaces.HEADING)
          .endsWith("1 race confirmed, 3 refuted, 0 undecided.");
      assertThat(browser().text("#list")).startsWith("No anomaly so far.");
      assertThat(browser().text("#count")).isEmpty();
      assertThat(browser().run("return window.hit === undefined")).isEqualTo(true);
      assertThat(browser().run("return document.images.length")).isEqualTo(0L);
      assertThat(browser().accessibilityViolations()).isEmpty();
      assertThat(browser().consoleErrors()).isEmpty();
    }
  }

  @Test
  void acceptedKindsAreFolded(@TempDir Path folder) throws Exception {
    Group accepted =
        new Group(ExampleAnomalies.lostUpdate())
            .accepted(
                Optional.of(
                    new AcceptedAnomaly(
                        Fingerprint.of(ExampleAnomalies.lostUpdate()),
                        "<img src=x onerror=window.hit=1>",
                        "ada",
                        Optional.of(LocalDate.of(2027, 3, 1)),
                        "")));
    List<Group> groups = List.of(accepted, new Group(ExampleAnomalies.skewOfThree()));
    Path file =
        write(folder, new Report("shop.history", Instant.EPOCH, groups, 0, TestSource.COVERAGE));
    browser().open(file.toUri().toString());
    assertThat(browser().text("#accepted-box summary")).isEqualTo("1 accepted by the baseline");
    assertThat(browser().text("#list")).doesNotContain("lost update").contains("G2");
    browser().driver().findElement(By.cssSelector("#accepted-box summary")).click();
    browser().driver().findElement(By.cssSelector("#accepted a")).click();
    await(
        "Accepted by the baseline: <img src=x onerror=window.hit=1>, ada, until 2027-03-01",
        () -> browser().text("#detail .accepted"));
    assertThat(browser().text("#detail"))
        .contains("id " + Fingerprint.of(ExampleAnomalies.lostUpdate()));
    assertThat(browser().run("return window.hit === undefined")).isEqualTo(true);
    assertThat(browser().accessibilityViolations()).isEmpty();
    assertThat(browser().consoleErrors()).isEmpty();
  }

  @Test
  void darkChangesColorsAlone() throws Exception {
    String css =
        new String(
            LivePage.class.getResourceAsStream("page.css").readAllBytes(), StandardCharsets.UTF_8);

    assertThat(css)
        .containsOnlyOnce("prefers-color-scheme")
        .containsPattern(
            "\\(prefers-color-scheme: dark\\) \\{\\s*:root \\{\\s*(--[a-z-]+: #[0-9a-f]{6};\\s*)+}\\s*}");
  }

  @Test
  void serverWithATokenRequestsIt() throws Exception {
    TestSource source = new TestSource();
    source.add(ExampleAnomalies.lostUpdate(), 1);
    try (LivePage page = open(source, "0123456789abcdef")) {
      browser().open(url(page));
      await("This server asks for a token", () -> browser().text("#connection"));
      browser().driver().findElement(By.id("token")).sendKeys("0123456789abcdef", Keys.ENTER);
      await("1 of 1 kinds of anomaly, 1 in all", () -> browser().text("#count"));
    }
  }

  @Test
  void thousandKindsOfTenThousandAnomaliesAreUsable(@TempDir Path folder) throws Exception {
    List<Group> groups = new ArrayList<>();
    for (int i = 0; i < 1_000; i++) {
      groups.add(new Group(numbered(i), 10, 1_000_000, 2_000_000));
    }
    Path file = write(folder, new Report("large", Instant.EPOCH, groups, 0, MILLION));
    browser().open(file.toUri().toString());
    assertThat(browser().text("#count"))
        .isEqualTo("1,000 of 1,000 kinds of anomaly, 10,000 in all");
    Awaitility.await()
        .until(
            () -> browser().run("return performance.getEntriesByType('paint').length > 0"),
            Boolean.TRUE::equals);
    Object first =
        browser().run("return Math.round(performance.getEntriesByType('paint')[0].startTime)");
    Object filtered =
        browser()
            .run(
                """
                const before = performance.now();
                const input = document.querySelector('[name=text]');
                input.value = 'service77.java';
                input.dispatchEvent(new Event('input'));
                document.body.getBoundingClientRect();
                return Math.round(performance.now() - before);
                """);
    assertThat(browser().text("#count")).isEqualTo("1 of 1,000 kinds of anomaly, 10 in all");
    System.out.printf(
        "report of 10 000 anomalies in 1 000 000 transactions: %d KB, first view after %s ms,"
            + " filter %s ms%n",
        Files.size(file) / 1024, first, filtered);
    assertThat(Files.size(file)).isLessThan(10_000_000);
  }

  private static final Coverage MILLION =
      new Coverage(
          64, 1_000_000, 990_000, 4_000_000, 3_900_000, 9_000_000, 2_000_000, 0, 0, 0, Map.of());

  private static Anomaly numbered(int i) {
    return AnomalyBuilder.anomaly(Phenomenon.LOST_UPDATE)
        .cycle(CycleClass.G_SINGLE)
        .t(
            Optional.empty(),
            "main#" + i,
            "1 SELECT balance, owner, opened FROM account"
                + i
                + " WHERE id = ? @ Service"
                + i
                + ".java:1",
            "2 UPDATE account" + i + " SET balance = ? WHERE id = ? @ Service" + i + ".java:2")
        .t("4 UPDATE account" + i + " SET balance = ? WHERE id = ? @ Service" + i + ".java:3")
        .edge("1.1 rw 2.4 account" + i + " " + i)
        .edge("2.4 ww 1.2 account" + i + " " + i)
        .advice("Lock the read.")
        .anomaly();
  }

  private static LivePage open(LiveSource source, String token) throws IOException {
    return LivePage.open(new Address(false, "127.0.0.1", 0), Optional.empty(), token, source);
  }

  private static String url(LivePage page) {
    return "http://127.0.0.1:" + page.address().getPort() + "/";
  }

  private static String report(Path folder, Anomaly... anomalies) throws IOException {
    List<Group> groups = List.of(anomalies).stream().map(Group::new).toList();
    return write(folder, new Report("shop.history", Instant.EPOCH, groups, 0, TestSource.COVERAGE))
        .toUri()
        .toString();
  }

  private static Path write(Path folder, Report report) throws IOException {
    return Files.writeString(folder.resolve("report.html"), ReportPage.html(report));
  }

  private static void await(String expected, java.util.concurrent.Callable<String> actual) {
    Awaitility.await()
        .atMost(Duration.ofMinutes(2))
        .untilAsserted(() -> assertThat(actual.call()).isEqualTo(expected));
  }
}
