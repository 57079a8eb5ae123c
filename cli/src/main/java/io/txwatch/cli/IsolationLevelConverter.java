package io.txwatch.cli;

import io.txwatch.history.IsolationLevel;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.TypeConversionException;

final class IsolationLevelConverter implements ITypeConverter<IsolationLevel> {

  /** The names, for descriptions of options. */
  static final String NAMES =
      "READ_UNCOMMITTED, READ_COMMITTED, REPEATABLE_READ, SNAPSHOT, SERIALIZABLE, or RU, RC, RR,"
          + " SI, SER";

  @Override
  public IsolationLevel convert(String value) {
    return IsolationLevel.parse(value)
        .orElseThrow(
            () -> new TypeConversionException("expected " + NAMES + ", not '" + value + "'"));
  }
}
