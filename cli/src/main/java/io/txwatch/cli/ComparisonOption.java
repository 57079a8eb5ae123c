package io.txwatch.cli;

import java.util.ArrayList;
import java.util.List;
import picocli.CommandLine.Option;

/** The option that names DBMSs to compare with. */
final class ComparisonOption {

  static final String NAME = "--compare";

  /** Separated by commas or repeated. A URL may itself contain a comma, between two hosts. */
  @Option(
      names = NAME,
      split = ",(?=jdbc:)",
      splitSynopsisLabel = ",",
      paramLabel = "URL",
      description =
          "other databases, on which the case is executed, too, at the level of the same name:"
              + " the report states which results differ there")
  List<String> urls = new ArrayList<>();
}
