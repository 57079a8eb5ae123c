package io.txwatch.cli;

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
      "The plan is printed first. Whatever interrupts it, running it again completes it; twice is the",
      "same as once."
    },
    mixinStandardHelpOptions = true,
    versionProvider = TxWatchCommand.Version.class,
    sortOptions = false,
    footer = {
      "",
      "Examples:",
      "  txwatch prepare --url jdbc:postgresql://localhost/shop --user owner --dry-run",
      "  TXWATCH_PASSWORD=… txwatch prepare --url jdbc:mariadb://localhost/shop --user owner --tables account,booking",
      ""
    })
final class PrepareCommand implements Callable<Integer> {

  @Spec private CommandSpec spec = CommandSpec.create();

  @Mixin private PreparationOptions options = new PreparationOptions();

  @Option(
      names = "--include-dependent",
      description = {
        "prepare also the tables whose rows are handled as a whole by functions, triggers, rules,",
        "publications and the like, which the plan names: these will see two more columns, and may",
        "fail or give other results"
      })
  private boolean includeDependent;

  @Override
  public Integer call() throws IOException {
    return options.run(PreparationPlan.Action.PREPARE, includeDependent, Console.of(spec));
  }
}
