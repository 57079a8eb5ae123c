package io.txwatch.cli;

import java.time.Duration;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.TypeConversionException;

/** {@code 60s}, {@code 10m}, {@code 2h}. */
final class DurationConverter implements ITypeConverter<Duration> {

  private static final Pattern FORM = Pattern.compile("([1-9][0-9]{0,5})(s|m|h)");

  @Override
  public Duration convert(String value) {
    Matcher matcher = FORM.matcher(value);
    if (!matcher.matches()) {
      throw new TypeConversionException(
          "expected a duration such as 60s, 10m or 2h, not '" + value + "'");
    }
    long count = Long.parseLong(matcher.group(1));
    return switch (matcher.group(2)) {
      case "s" -> Duration.ofSeconds(count);
      case "m" -> Duration.ofMinutes(count);
      default -> Duration.ofHours(count);
    };
  }
}
