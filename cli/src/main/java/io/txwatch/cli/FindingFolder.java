package io.txwatch.cli;

import io.txwatch.campaign.CampaignFinding;
import io.txwatch.coverage.Coverage;
import io.txwatch.dbms.Dbms;
import io.txwatch.document.DocumentFormat;
import io.txwatch.document.Markdown;
import io.txwatch.document.SourceFiles;
import io.txwatch.guarantee.Guarantee;
import io.txwatch.guarantee.Judge;
import io.txwatch.history.IsolationLevel;
import io.txwatch.oracle.GraphAnomaly;
import io.txwatch.oracle.OracleKind;
import io.txwatch.oracle.OracleVerdict;
import io.txwatch.oracle.known.KnownBehaviour;
import io.txwatch.report.AnomalyGroups;
import io.txwatch.report.JsonReport;
import io.txwatch.report.Report;
import io.txwatch.report.TextReport;
import io.txwatch.schedule.StepOutcome;
import io.txwatch.testcase.CaseWriter;
import io.txwatch.testcase.Step;
import io.txwatch.testcase.TestCase;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Instant;
import java.time.LocalDate;
import java.time.ZoneId;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.TreeMap;
import java.util.stream.Collectors;

/**
 * Writes the folder of a finding, with everything for a bug report:
 *
 * <ul>
 *   <li>{@code case.txt}, the reduced case, for {@code replay};
 *   <li>{@code original.txt}, the case as generated;
 *   <li>{@code setup.sql} and {@code session-T1.sql}, …: both in the SQL of the DBMS, for plain
 *       clients, with the level, the place of each statement in the schedule, what the level
 *       promises, what was expected, and what other DBMSs do if it was compared with some;
 *   <li>{@code report.txt}: the DBMS with its settings, schema and schedule in its own SQL, the
 *       outcome of each statement, what is wrong, and how to reproduce it;
 *   <li>{@code report.html}, {@code report.md} and {@code report.xml} (JUnit): what was expected
 *       beside what the DBMS did, and the schedule;
 *   <li>{@code anomalies.jsonl}, {@code anomalies.html} and {@code anomalies.svg}, the anomalies of
 *       the dependency graph, if one was built;
 *   <li>{@code also-….txt}, reduced cases that most probably show the same fault; {@code
 *       report.txt} and {@code report.md} name them at the end.
 * </ul>
 *
 * <p>{@code index.md} beside the folders has a line for each.
 */
final class FindingFolder {

  /** The file with the reduced case. */
  static final String CASE = "case.txt";

  /** How the names of the files with further cases of a finding begin. */
  static final String FURTHER = "also-";

  /** The headers of a case with the class of the finding, and with the known behaviour. */
  static final String CLASS = "class";

  static final String KNOWN = "known";

  /** The header with the day of the finding. */
  static final String FOUND = "found";

  private final Dbms dbms;
  private final String url;
  private final Judge judge;

  /**
   * Creates folders for findings on a DBMS.
   *
   * @param url its URL, without secrets
   * @param judge the standard that the dependency graph applied to levels
   */
  FindingFolder(Dbms dbms, String url, Judge judge) {
    this.dbms = dbms;
    this.url = url;
    this.judge = judge;
  }

  /** Writes the folder of a finding within {@code out}; returns the path of its case. */
  Path write(CampaignFinding finding, Path out) throws IOException {
    Path folder = out.resolve(name(finding));
    Files.createDirectories(folder);
    Path place = folder.resolve(CASE);
    Files.writeString(place, text(finding));
    writeScripts(finding, folder);
    Files.writeString(folder.resolve("original.txt"), CaseWriter.write(finding.original()));
    Files.write(folder.resolve("report.txt"), report(finding, place));
    FindingDocument document = FindingDocument.of(finding, dbms, replay(finding, place));
    Files.writeString(folder.resolve("report.html"), document.html());
    Files.writeString(folder.resolve("report.md"), document.markdown());
    Files.writeString(folder.resolve("report.xml"), document.junit());
    List<GraphAnomaly> anomalies = finding.verdict().anomalies();
    if (!anomalies.isEmpty()) {
      Files.write(
          folder.resolve("anomalies.jsonl"),
          anomalies.stream().map(anomaly -> JsonReport.anomaly(anomaly.anomaly())).toList());
      AnomalyGroups groups = new AnomalyGroups();
      anomalies.forEach(anomaly -> groups.add(anomaly.anomaly()));
      Report report =
          new Report(
              folder.getFileName().toString(),
              Instant.now(),
              groups.groups(),
              groups.ungrouped(),
              Coverage.NONE);
      for (DocumentFormat format : List.of(DocumentFormat.HTML, DocumentFormat.SVG)) {
        Files.writeString(
            folder.resolve("anomalies" + format.ending()), format.write(report, SourceFiles.NONE));
      }
    }
    FindingIndex.write(out);
    return place;
  }

  /**
   * Writes, into the folder of a finding within {@code out}, the case of another violation that
   * most probably shows the same fault; returns the path of that case.
   */
  Path writeFurther(CampaignFinding finding, CampaignFinding further, Path out) throws IOException {
    Path folder = out.resolve(name(finding));
    Path place = folder.resolve(FURTHER + name(further) + ".txt");
    Files.writeString(place, text(further));
    String line = "also seen as " + place.getFileName() + ": " + further.reason();
    Files.writeString(folder.resolve("report.txt"), "\n" + line + "\n", StandardOpenOption.APPEND);
    Files.writeString(
        folder.resolve("report.md"), "\n" + Markdown.line(line) + "\n", StandardOpenOption.APPEND);
    return place;
  }

  private static String name(CampaignFinding finding) {
    return String.join(
        "-",
        finding.oracle(),
        finding.level().shortName(),
        finding.original().header("seed").orElse(""),
        finding.original().header("number").orElse(""));
  }

  /** The reduced case, with what was found in its headers. */
  private String text(CampaignFinding finding) {
    TestCase described =
        finding
            .reduced()
            .withHeader("isolation", finding.level().name())
            .withHeader("oracle", finding.oracle())
            .withHeader("dbms", dbms.describe())
            .withHeader(CLASS, finding.findingClass().name())
            .withHeader(FOUND, LocalDate.now(ZoneId.systemDefault()).toString());
    return CaseWriter.write(
        finding.known().map(known -> described.withHeader(KNOWN, known.id())).orElse(described));
  }

  /** Writes SQL for plain clients: the set-up, and each session's statements with their places. */
  private void writeScripts(CampaignFinding finding, Path folder) throws IOException {
    List<String> setup = new ArrayList<>();
    summary(finding).forEach(line -> setup.add(comment(line)));
    finding.reduced().setup().forEach(sql -> setup.add(statement(sql)));
    Files.write(folder.resolve("setup.sql"), setup);
    List<Step> steps = finding.reduced().steps();
    for (String session : finding.reduced().sessions()) {
      List<String> script = new ArrayList<>();
      script.add(
          "-- session "
              + session
              + ", isolation level "
              + words(finding.reduced().levelOf(session, finding.level())));
      dbms.clientLevelStatement(finding.reduced().levelOf(session, finding.level()))
          .ifPresent(sql -> script.add(statement(sql)));
      finding
          .reduced()
          .settings()
          .forEach(
              (name, value) ->
                  dbms.settingStatement(name, Optional.of(value))
                      .ifPresent(sql -> script.add(statement(sql))));
      for (int i = 0; i < steps.size(); i++) {
        if (steps.get(i).session().equals(session)) {
          script.add("-- " + (i + 1) + " of " + steps.size());
          script.add(statement(steps.get(i).sql()));
          if (finding.verdict().statement().equals(Optional.of(steps.get(i)))) {
            script.add(comment("returned: " + FindingDocument.actual(finding.reason())));
            script.add(comment("expected: " + FindingDocument.expected(finding.reason())));
          }
        }
      }
      Files.write(folder.resolve("session-" + session + ".sql"), script);
    }
  }

  /** What was found, and by which words it is wrong, for the beginning of a script. */
  private List<String> summary(CampaignFinding finding) {
    List<String> lines = new ArrayList<>();
    lines.add(dbms.describe() + " at " + words(finding.level()));
    lines.add("found: " + finding.reason());
    finding.likeness().ifPresent(lines::add);
    lines.addAll(finding.comparisonLines());
    TestCase testCase = finding.reduced();
    testCase.sessions().stream()
        .map(session -> testCase.levelOf(session, finding.level()))
        .distinct()
        .sorted()
        .forEach(
            level -> {
              String source =
                  Guarantee.of(dbms.database().with(testCase.settings()), level).source();
              if (!source.isEmpty()) {
                lines.add("documentation of " + words(level) + ": " + source);
              }
            });
    finding.known().ifPresent(known -> lines.add("known: " + known.id() + ": " + known.source()));
    return lines;
  }

  private static String comment(String text) {
    return "-- " + text.strip().replaceAll("\\R", " ");
  }

  private String statement(String sql) {
    return dbms.renderSql(sql).strip() + ";";
  }

  private static String words(IsolationLevel level) {
    return level.name().replace('_', ' ');
  }

  private String replay(CampaignFinding finding, Path place) {
    return "txwatch replay " + place + " --url '" + url + "'" + oracle(finding);
  }

  private String oracle(CampaignFinding finding) {
    return OracleKind.named(finding.oracle())
        .map(kind -> " --oracle " + kind.id() + (kind.judgesLevels() ? judgeBy() : ""))
        .orElse(""); // a crash or a hang
  }

  private String judgeBy() {
    return " --judge-by " + judge.name().toLowerCase(Locale.ROOT);
  }

  private List<String> report(CampaignFinding finding, Path place) throws IOException {
    List<String> lines = new ArrayList<>();
    addFinding(lines, finding);
    lines.add("");
    addSchedule(lines, finding);
    lines.add("");
    lines.add("To see it again:");
    lines.add("  " + replay(finding, place));
    lines.add("");
    lines.addAll(List.of(new TxWatchCommand.Version().getVersion()));
    for (GraphAnomaly anomaly : finding.verdict().anomalies()) {
      lines.add("");
      lines.add(TextReport.of(anomaly.anomaly()));
    }
    return lines;
  }

  private void addFinding(List<String> lines, CampaignFinding finding) {
    lines.add(dbms.describe() + " at " + finding.level());
    String settings = settings(dbms, finding.reduced());
    if (!settings.isEmpty()) {
      lines.add("settings: " + settings);
    }
    lines.add("found by " + finding.oracle() + ": " + finding.reason());
    lines.add(
        "in "
            + finding.reproduced()
            + " of "
            + finding.runs()
            + " fresh runs; made from seed "
            + finding.original().header("seed").orElse("?")
            + ", case "
            + finding.original().header("number").orElse("?"));
    lines.add("class: " + finding.findingClass());
    finding.likeness().ifPresent(lines::add);
    lines.addAll(finding.comparisonLines());
    Optional<KnownBehaviour> known = finding.known();
    known.ifPresent(
        behaviour -> {
          lines.add("known: " + behaviour.id() + ": " + behaviour.description());
          lines.add("       " + behaviour.source());
        });
    finding.others().forEach(other -> lines.add("by " + other.oracle() + ": " + result(other)));
    if (!finding.disagreeing().isEmpty()) {
      lines.add(FindingDocument.DISAGREEMENT);
    }
  }

  /** The settings of a DBMS, and of the sessions of a case, that change its guarantees. */
  static String settings(Dbms dbms, TestCase testCase) {
    return new TreeMap<>(dbms.database().with(testCase.settings()).settings())
        .entrySet().stream()
            .map(setting -> setting.getKey() + "=" + setting.getValue())
            .collect(Collectors.joining(", "));
  }

  /** What another oracle found in the same case. */
  static String result(OracleVerdict other) {
    return switch (other.result()) {
      case VIOLATION -> "a violation: " + other.reason();
      case CLEAN -> "no violation";
      case UNDECIDED -> "undecided: " + other.reason();
      case UNSUPPORTED -> "does not apply";
    };
  }

  private void addSchedule(List<String> lines, CampaignFinding finding) {
    lines.add("Schema and rows:");
    finding.reduced().setup().forEach(sql -> lines.add("  " + statement(sql)));
    lines.add("");
    lines.add("Schedule, a session before each statement, and what came of it:");
    for (StepOutcome outcome : finding.execution().outcomes()) {
      lines.add("  " + dbms.renderSql(outcome.toString()));
    }
    for (StepOutcome read : finding.execution().finalReads()) {
      lines.add("  " + read);
    }
    finding.execution().undecided().ifPresent(why -> lines.add("  undecided: " + why));
  }
}
