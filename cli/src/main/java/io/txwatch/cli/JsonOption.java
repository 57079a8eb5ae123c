package io.txwatch.cli;

import picocli.CommandLine.Option;

/** The option of every command that can write JSON. */
final class JsonOption {

  @Option(
      names = "--json",
      description = "write JSON to standard output, and text to standard error")
  boolean json;
}
