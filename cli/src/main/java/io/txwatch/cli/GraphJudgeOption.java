package io.txwatch.cli;

import io.txwatch.guarantee.Judge;
import picocli.CommandLine.Option;

/** How isorel and aptrans judge what a dependency graph or a pattern shows. */
final class GraphJudgeOption {

  @Option(
      names = "--judge-by",
      paramLabel = "dbms|adya",
      defaultValue = "dbms",
      description =
          "the standard of isorel and aptrans for a level: the DBMS's documentation, or Adya's"
              + " definition and the patterns' levels (default: dbms)")
  Judge judge = Judge.DBMS;
}
