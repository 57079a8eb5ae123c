package io.txwatch.cli;

import io.txwatch.prepare.Preparation;
import io.txwatch.prepare.PreparationPlan;
import java.io.IOException;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** {@code prepare}: adds the auxiliary columns. */
@Command(
    name = "prepare",
    description = {
      "Adds the two auxiliary columns, txw_rid and txw_wl, to live tables.",
      "Not on PostgreSQL, whose system columns are read instead.",
      "It prints the plan first. After an interruption, run it again to complete it. Running it",
      "twice does no harm."
    },
    mixinStandardHelpOptions = true,
    versionProvider = TxWatchCommand.Version.class,
    sortOptions = false,
    footer = {
      "",
      "Examples:",
      "  txwatch prepare --url jdbc:mariadb://localhost/shop --user owner --dry-run",
      "  TXWATCH_PASSWORD=… txwatch prepare --url jdbc:mariadb://localhost/shop --user owner --tables account,booking",
      ""
    })
final class PrepareCommand implements Callable<Integer> {

  @Spec private CommandSpec spec = CommandSpec.create();

  @Mixin private PreparationOptions options = new PreparationOptions();

  @Option(
      names = "--include-dependent",
      description = {
        "also prepare tables whose whole rows are used by views, triggers or routines; the plan",
        "lists these. They will see two more columns, and may fail or return other results"
      })
  private boolean includeDependent;

  @Option(
      names = "--analyze",
      description =
          "update the optimizer's statistics of the prepared tables at the end (ANALYZE); compare"
              + " only with a database whose statistics are up to date, too")
  private boolean analyze;

  @Override
  public Integer call() throws IOException {
    return options.run(PreparationPlan.Action.PREPARE, this::set, Console.of(spec));
  }

  private Preparation set(Preparation preparation) {
    Preparation chosen = includeDependent ? preparation.includingDependent() : preparation;
    return analyze ? chosen.analyzing() : chosen;
  }
}
