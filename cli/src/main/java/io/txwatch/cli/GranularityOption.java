package io.txwatch.cli;

import io.txwatch.dependency.Granularity;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.Option;
import picocli.CommandLine.TypeConversionException;

/** {@code --granularity}, of the commands that analyze. */
final class GranularityOption {

  @Option(
      names = "--granularity",
      paramLabel = "column|row",
      defaultValue = "column",
      converter = Converter.class,
      description =
          "what two statements must share to depend on each other: a column of a row, or the row"
              + " (default: column)")
  Granularity value = Granularity.DEFAULT;

  /** Parses {@code row} and {@code column}. */
  static final class Converter implements ITypeConverter<Granularity> {
    @Override
    public Granularity convert(String value) {
      return Granularity.parse(value)
          .orElseThrow(
              () -> new TypeConversionException("expected row or column, not '" + value + "'"));
    }
  }
}
