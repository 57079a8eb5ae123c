package io.txwatch.cli;

import io.txwatch.history.IsolationLevel;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** The options of the commands that execute cases: the level, and which databases are accepted. */
final class CaseOptions {

  @Option(
      names = "--isolation",
      paramLabel = "LEVEL",
      converter = IsolationLevelConverter.class,
      description =
          "the level of every transaction: "
              + IsolationLevelConverter.NAMES
              + " (default: the case's header '# isolation:')")
  @Nullable IsolationLevel isolation;

  @Option(
      names = "--allow-any-database",
      description =
          "also run the cases in a database with tables; the SQL of a case can change or drop them")
  boolean allowAnyDatabase;
}
