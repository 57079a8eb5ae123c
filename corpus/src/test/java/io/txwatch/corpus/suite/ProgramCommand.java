package io.txwatch.corpus.suite;

import java.io.IOException;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.sql.SQLException;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;

/**
 * {@code corpus/run program}: executes a command twice without the agent and once with it, each
 * time on a new server, and compares what its connections sent ({@link SentReport}). The anomalies
 * that the agent reported, and what became of the rows that were read, are counted beside it, where
 * its options contain {@code report={reports}/anomalies.jsonl} and {@code
 * history={reports}/history}.
 */
@Command(
    name = "program",
    description = "Runs a program without and with the agent and compares what it sends.",
    mixinStandardHelpOptions = true)
final class ProgramCommand implements Callable<Integer> {

  @Mixin private ProgramRuns runs = new ProgramRuns();

  @Override
  public Integer call() throws SQLException, IOException, InterruptedException {
    if (!runs.hasServer()) {
      throw new IllegalArgumentException("--db is missing");
    }
    SentReport sent =
        SentReport.of(run("raw", false), run("raw-second", false), run("watched", true));
    if (sent.rawToRaw().commands() == 0) {
      throw new IOException("no two raw connections are equal, see " + runs.out("raw"));
    }
    String report =
        sent.text()
            + ReportedAnomalies.count(runs.out("watched"))
            + ResolvedReads.count(runs.agent(), runs.out("watched"));
    new PrintStream(System.out, true, StandardCharsets.UTF_8).println(report);
    Files.writeString(runs.out().resolve("report.md"), report);
    return sent.isEqual() ? 0 : 1;
  }

  private SentReport.Run run(String name, boolean isWatched)
      throws SQLException, IOException, InterruptedException {
    return runs.run(name, isWatched, "", true).orElseThrow();
  }
}
