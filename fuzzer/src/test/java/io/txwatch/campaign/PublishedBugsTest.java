package io.txwatch.campaign;

import static org.assertj.core.api.Assertions.assertThat;

import io.txwatch.dbms.mariadb.MariaDbGeneratedDialect;
import io.txwatch.generator.CaseGenerator;
import io.txwatch.guarantee.Judge;
import io.txwatch.oracle.IsoRel;
import io.txwatch.oracle.Oracle;
import io.txwatch.oracle.VerdictLetters;
import io.txwatch.oracle.WriteCheck;
import io.txwatch.oracle.aptrans.ApTrans;
import io.txwatch.oracle.troc.Troc;
import io.txwatch.oracle.txcheck.TxCheck;
import io.txwatch.schedule.ExecutorFixture;
import io.txwatch.servers.ServerKind;
import io.txwatch.testcase.CaseReader;
import io.txwatch.testcase.TestCase;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;

/** The bugs that the papers describe can be generated, and are judged by the oracles named. */
class PublishedBugsTest {

  private static final Path SCENARIOS = Path.of("../cli/src/test/resources/scenarios");
  private static final Path DOCUMENT = Path.of("../docs/published-bugs.md");
  private static final int MAX_SCHEMAS = 100_000;

  /**
   * A bug.
   *
   * @param name its number, and where it is described
   * @param verdicts those of the oracles that judge it, a letter for each level
   * @param forms the forms of the statements that it takes
   * @param lines its scenario, or its case
   */
  private record Bug(
      String name, Map<String, String> verdicts, List<Pattern> forms, List<String> lines) {

    TestCase testCase() throws Exception {
      String first = lines.get(0);
      return first.startsWith("scenario: ")
          ? CaseReader.read(SCENARIOS.resolve(first.substring("scenario: ".length()) + ".txt"))
          : CaseReader.parse(name, String.join("\n", lines));
    }
  }

  private static List<Bug> bugs() throws IOException {
    String text = Files.readString(Path.of("src/test/resources/published-bugs.txt"));
    return Arrays.stream(text.split("\n\n+"))
        .filter(block -> !block.startsWith("#"))
        .map(PublishedBugsTest::bug)
        .toList();
  }

  private static Bug bug(String block) {
    Map<String, List<String>> values = new HashMap<>();
    List<String> lines = new ArrayList<>();
    for (String line : block.lines().toList()) {
      int colon = line.indexOf(": ");
      String key = line.substring(0, colon);
      if (Set.of("bug", "oracles", "form").contains(key)) {
        values.computeIfAbsent(key, first -> new ArrayList<>()).add(line.substring(colon + 2));
      } else {
        lines.add(line);
      }
    }
    return new Bug(
        values.getOrDefault("bug", List.of()).get(0),
        verdicts(values.getOrDefault("oracles", List.of()).get(0)),
        values.getOrDefault("form", List.of()).stream().map(Pattern::compile).toList(),
        lines);
  }

  /** {@code writecheck=VVCC troc=VVCC}. */
  private static Map<String, String> verdicts(String text) {
    Map<String, String> verdicts = new TreeMap<>();
    for (String one : text.split(" ")) {
      verdicts.put(one.substring(0, one.indexOf('=')), one.substring(one.indexOf('=') + 1));
    }
    return verdicts;
  }

  @Test
  void eachFormIsGenerated() throws IOException {
    Map<String, Pattern> missing = new TreeMap<>();
    for (Bug bug : bugs()) {
      bug.forms().forEach(form -> missing.put(form.pattern(), form));
    }
    CaseGenerator generator = new CaseGenerator(5, new MariaDbGeneratedDialect());
    for (int i = 0; i < MAX_SCHEMAS && !missing.isEmpty(); i++) {
      TestCase testCase = generator.generate(16L * i).testCase();
      Set<String> texts = new HashSet<>(testCase.setup());
      testCase.steps().forEach(step -> texts.add(step.sql()));
      missing.values().removeIf(form -> texts.stream().anyMatch(form.asPredicate()));
    }
    assertThat(missing).isEmpty();
  }

  @Test
  void eachIsJudged() throws Exception {
    List<Oracle> oracles =
        List.of(new WriteCheck(), new Troc(), new IsoRel(), new TxCheck(), new ApTrans(Judge.DBMS));
    try (ExecutorFixture fixture = new ExecutorFixture(ServerKind.MARIADB)) {
      for (Bug bug : bugs()) {
        VerdictLetters verdicts =
            VerdictLetters.of(
                fixture,
                bug.testCase(),
                oracles.stream().filter(o -> bug.verdicts().containsKey(o.name())).toList());
        assertThat(verdicts.letters())
            .as("%s\n%s", bug.name(), verdicts.reasons())
            .isEqualTo(bug.verdicts());
      }
    }
  }

  @Test
  void eachIsInTheDocument() throws IOException {
    String document = Files.readString(DOCUMENT);
    for (Bug bug : bugs()) {
      assertThat(document.lines())
          .as(bug.name())
          .anyMatch(
              line ->
                  line.contains("| " + bug.name().replace(" (", " | ").replace(")", " |"))
                      && bug.verdicts().entrySet().stream()
                          .allMatch(v -> line.contains("`" + v.getKey() + "` " + v.getValue())));
    }
  }
}
