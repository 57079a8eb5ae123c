package io.txwatch.cli;

import io.txwatch.prepare.PreparationPlan;
import java.io.IOException;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Spec;

/** {@code unprepare}: removes the auxiliary columns. */
@Command(
    name = "unprepare",
    description = {
      "Removes the two auxiliary columns, txw_rid and txw_wl, from live tables.",
      "It prints the plan first. After an interruption, run it again to complete it. Running it",
      "twice does no harm."
    },
    mixinStandardHelpOptions = true,
    versionProvider = TxWatchCommand.Version.class,
    sortOptions = false,
    footer = {
      "",
      "Examples:",
      "  txwatch unprepare --url jdbc:mariadb://localhost/shop --user owner --dry-run",
      "  TXWATCH_PASSWORD=… txwatch unprepare --url jdbc:mariadb://localhost/shop --user owner --tables account,booking",
      ""
    })
final class UnprepareCommand implements Callable<Integer> {

  @Spec private CommandSpec spec = CommandSpec.create();

  @Mixin private PreparationOptions options = new PreparationOptions();

  @Override
  public Integer call() throws IOException {
    return options.run(
        PreparationPlan.Action.UNPREPARE, preparation -> preparation, Console.of(spec));
  }
}
