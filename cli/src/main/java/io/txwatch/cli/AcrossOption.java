package io.txwatch.cli;

import io.txwatch.stale.Across;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.Option;
import picocli.CommandLine.TypeConversionException;

/** {@code --across}, of the commands that analyze. */
final class AcrossOption {

  @Option(
      names = "--across",
      paramLabel = "off|trace|session",
      defaultValue = "off",
      converter = Converter.class,
      description =
          "also report rows that a transaction wrote after an earlier one of the same trace, or of"
              + " the same physical connection, had read them and another one had changed them"
              + " (default: off)")
  Across value = Across.OFF;

  /** Parses {@code off}, {@code trace} and {@code session}. */
  static final class Converter implements ITypeConverter<Across> {
    @Override
    public Across convert(String value) {
      return Across.parse(value)
          .orElseThrow(
              () ->
                  new TypeConversionException(
                      "expected off, trace or session, not '" + value + "'"));
    }
  }
}
