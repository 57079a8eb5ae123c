package io.txwatch.cli;

import io.txwatch.campaign.Campaign;
import io.txwatch.campaign.CampaignFinding;
import io.txwatch.guarantee.Judge;
import io.txwatch.history.IsolationLevel;
import io.txwatch.testcase.CaseWriter;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.sql.SQLException;
import java.util.Optional;
import java.util.Set;

/** Reports the findings of a campaign as they are made. */
final class FuzzReport implements Campaign.Listener {

  /** The folder, within that of the findings, of violations that did not always occur again. */
  private static final String NOT_REPRODUCED = "not-reproduced";

  private final Console console;
  private final boolean json;
  private final FuzzTarget target;
  private final DatabaseComparisons comparisons;
  private final Optional<Path> out;
  private final String on;
  private final FindingFolder folder;
  private volatile boolean hasFault;
  private volatile boolean hasLostServer;

  /**
   * Creates a report.
   *
   * @param json true if findings are lines of JSON on standard output
   * @param comparisons the DBMSs with which each finding is compared
   * @param out the folder for findings
   * @param isOneOfSeveral true if other campaigns print to the same console
   */
  FuzzReport(
      Console console,
      boolean json,
      FuzzTarget target,
      Judge judge,
      DatabaseComparisons comparisons,
      Optional<Path> out,
      boolean isOneOfSeveral) {
    this.console = console;
    this.json = json;
    this.target = target;
    this.comparisons = comparisons;
    this.out = out;
    this.on = isOneOfSeveral ? " on " + target.dbms().describe() : "";
    this.folder = new FindingFolder(target.dbms(), target.shownUrl(), judge);
  }

  /** True if there was a finding that is not by design. */
  boolean hasFault() {
    return hasFault;
  }

  /** True if a case ended the server, or keeps it from responding, which is a finding. */
  boolean hasLostServer() {
    return hasLostServer;
  }

  @Override
  public void found(CampaignFinding reduced) {
    boolean isLostServer = Set.of("crash", "hang").contains(reduced.oracle());
    CampaignFinding finding =
        isLostServer // the case may do the same to others, and has no result
            ? reduced
            : reduced.comparedWith(comparisons.compare(reduced.reduced(), reduced.execution()));
    synchronized (console) {
      hasLostServer |= isLostServer;
      hasFault |= finding.findingClass().isFault();
      try {
        String place = out.isEmpty() ? "" : folder.write(finding, out.get()).toString();
        if (json) {
          FuzzOutput.writeJson(console.out(), target.dbms().describe(), finding, place);
        }
        print(finding, place);
      } catch (IOException e) {
        throw new UncheckedIOException(e);
      }
    }
  }

  @Override
  public void foundAgain(CampaignFinding first, CampaignFinding again) {
    synchronized (console) {
      try {
        String place = out.isEmpty() ? "" : folder.writeFurther(first, again, out.get()).toString();
        if (json) {
          FuzzOutput.writeJson(console.out(), target.dbms().describe(), first, again, place);
        }
        console.note(
            "also seen"
                + on
                + ": the finding of case "
                + first.original().header("number").orElse("?")
                + ", in case "
                + again.original().header("number").orElse("?")
                + " by "
                + again.oracle()
                + " at "
                + again.level()
                + (place.isEmpty() ? "" : ", " + place)
                + ": "
                + Console.printable(again.reason()));
      } catch (IOException e) {
        throw new UncheckedIOException(e);
      }
    }
  }

  @Override
  public void failed(long number, IsolationLevel level, SQLException error) {
    synchronized (console) {
      console.note(
          "not executed"
              + on
              + ": case "
              + number
              + " at "
              + level
              + ", which counts as undecided: "
              + Console.printable(String.valueOf(error.getMessage()).strip()));
    }
  }

  @Override
  public void notReproduced(CampaignFinding violation) {
    synchronized (console) {
      try {
        String place =
            out.isEmpty() ? "" : ", " + folder.write(violation, out.get().resolve(NOT_REPRODUCED));
        console.note(
            "not reproduced"
                + on
                + ": case "
                + violation.original().header("number").orElse("?")
                + " at "
                + violation.level()
                + ", "
                + violation.reproduced()
                + " of "
                + violation.runs()
                + " runs"
                + place
                + ": "
                + Console.printable(violation.reason()));
      } catch (IOException e) {
        throw new UncheckedIOException(e);
      }
    }
  }

  private void print(CampaignFinding finding, String place) {
    console.clearProgress();
    PrintWriter textOut = console.textOut(json);
    textOut.println();
    textOut.println(
        "FOUND by "
            + finding.oracle()
            + on
            + " at "
            + finding.level()
            + ", "
            + finding.reproduced()
            + " of "
            + finding.runs()
            + " runs, "
            + finding.findingClass()
            + finding.known().map(known -> ": " + known.id()).orElse("")
            + (place.isEmpty() ? "" : ", " + place));
    Console.printable(CaseWriter.write(finding.reduced()))
        .lines()
        .forEach(line -> textOut.println("  " + line));
    textOut.println("  " + Console.printable(finding.reason()));
    finding.likeness().ifPresent(likeness -> textOut.println("  " + likeness));
    finding.comparisonLines().forEach(line -> textOut.println("  " + Console.printable(line)));
    if (!finding.disagreeing().isEmpty()) {
      textOut.println("  no violation by " + String.join(", ", finding.disagreeing()));
    }
    textOut.flush();
  }
}
