package io.txwatch.bench;

import java.nio.file.Path;
import picocli.CommandLine.Option;

/** The option that names the jar under test. */
public final class JarOption {

  @Option(names = "--jar", description = "txwatch.jar", required = true)
  private Path jar = Path.of("txwatch.jar");

  /** The path of the jar. */
  public Path path() {
    return jar;
  }
}
