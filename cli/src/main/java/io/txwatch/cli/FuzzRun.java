package io.txwatch.cli;

import io.txwatch.campaign.Campaign;
import io.txwatch.campaign.Summary;
import io.txwatch.dbms.Dbms;
import io.txwatch.dbms.registry.DbmsRegistry;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.SQLException;
import java.util.Locale;
import java.util.Optional;
import java.util.stream.Collectors;

/** The campaign of {@code fuzz} on one database. */
final class FuzzRun {

  /** With more time left than this, no limit was given. */
  private static final double MAX_SHOWN_SECONDS = 1e7;

  private final FuzzTarget target;
  private final Campaign.Plan plan;
  private final FuzzReport report;
  private final Optional<Path> out;
  private final Campaign campaign;

  /**
   * Creates a run.
   *
   * @param plan the plan as the options give it
   * @param out the folder for findings, which may contain earlier ones
   * @param resume true to continue the campaign in this folder
   * @throws CommandException if it cannot be continued
   */
  FuzzRun(
      FuzzTarget target, Campaign.Plan plan, FuzzReport report, Optional<Path> out, boolean resume)
      throws IOException {
    this.target = target;
    this.report = report;
    this.out = out;
    Campaign.Plan full = plan;
    if (out.isPresent()) {
      Files.createDirectories(out.get());
      full =
          plan.with(
              CampaignState.shapes(out.get(), dbms(), DbmsRegistry.dialect(dbms()).dialect()));
      if (resume) {
        CampaignState state = CampaignState.read(out.get()).require(plan, dbms(), out.get());
        full = full.continuing(state.seed(), state.next());
      }
    }
    this.plan = full;
    this.campaign = new Campaign(dbms(), full, report);
  }

  private Dbms dbms() {
    return target.dbms();
  }

  /** What it does, in one line. */
  String title() {
    return dbms().describe()
        + " at "
        + plan.levels().stream().map(Enum::name).collect(Collectors.joining(", "))
        + ", seed "
        + plan.seed()
        + (plan.first() > 0 ? ", from case " + plan.first() : "")
        + (plan.modes().contains(Campaign.Mode.LEARNT_WEIGHTS) ? ", learnt weights" : "")
        + (plan.modes().contains(Campaign.Mode.LEARNT_WEIGHTS) && plan.first() > 0
            ? " (learning starts again)"
            : "");
  }

  /** The DBMS and its version. */
  String name() {
    return dbms().describe();
  }

  /**
   * Runs the campaign to its end, also to that of the server.
   *
   * @throws SQLException if the DBMS cannot be used, and no finding reports it
   */
  Summary run() throws SQLException, InterruptedException, IOException {
    Summary summary;
    try {
      summary = campaign.run();
    } catch (SQLException e) {
      if (!report.hasLostServer()) {
        throw e;
      }
      summary = campaign.summary();
    }
    if (out.isPresent() && !summary.observed().patterns().isEmpty()) {
      Files.write(
          out.get().resolve("patterns.md"),
          PatternTable.of(summary.observed().patterns()).markdown(name()));
    }
    return summary;
  }

  /** Explains an error of {@link #run}. */
  CommandException explain(SQLException error) {
    return dbms().isOutOfConnections(error)
        ? CommandException.badInput(
            "--workers "
                + plan.workers()
                + ": the server accepts no more connections ("
                + error.getMessage()
                + "), and a worker opens up to forty; use fewer workers, or raise the limit"
                + " (max_connections)")
        : FuzzTarget.unreachable(target.shownUrl(), error);
  }

  /** True if there was a finding that is not by design. */
  boolean hasFault() {
    return report.hasFault();
  }

  void stop() {
    campaign.stop();
  }

  /** Saves where a later campaign continues. */
  void save() throws IOException {
    if (out.isPresent()) {
      CampaignState.of(campaign, plan, dbms()).write(out.get());
    }
  }

  /** The progress with the time that is left, as far as the options determine it. */
  String progress() {
    Summary summary = campaign.summary();
    double byTime = plan.duration().toSeconds() - summary.seconds();
    double byCases =
        summary.casesPerSecond() <= 0
            ? Double.MAX_VALUE
            : (plan.cases() - summary.cases().executed()) / summary.casesPerSecond();
    double left = Math.min(byTime, byCases);
    return FuzzOutput.progress(summary)
        + (left > MAX_SHOWN_SECONDS
            ? ""
            : String.format(Locale.ROOT, ", %.0f s left", Math.max(0, left)));
  }
}
