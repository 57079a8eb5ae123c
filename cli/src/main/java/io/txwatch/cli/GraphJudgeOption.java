package io.txwatch.cli;

import io.txwatch.guarantee.Judge;
import picocli.CommandLine.Option;

/** How the isorel oracle judges what a dependency graph shows. */
final class GraphJudgeOption {

  @Option(
      names = "--judge-by",
      paramLabel = "dbms|adya",
      defaultValue = "dbms",
      description =
          "isorel's standard for a level: the DBMS's documentation or Adya's definition (default: dbms)")
  Judge judge = Judge.DBMS;
}
