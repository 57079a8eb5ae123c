package io.txwatch.cli;

import io.txwatch.dependency.Granularity;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.TypeConversionException;

/** Parses {@code column} and {@code row}. */
final class GranularityConverter implements ITypeConverter<Granularity> {
  @Override
  public Granularity convert(String value) {
    return Granularity.parse(value)
        .orElseThrow(
            () -> new TypeConversionException("expected column or row, not '" + value + "'"));
  }
}
