package io.txwatch.bench.overhead;

import java.util.Arrays;
import java.util.Locale;
import java.util.stream.Collectors;

/**
 * Constants by the names that they have on command lines: {@code INLINE_NONE} is {@code
 * inline-none}.
 */
final class Named {

  private Named() {}

  static String option(Enum<?> constant) {
    return constant.name().toLowerCase(Locale.ROOT).replace('_', '-');
  }

  /**
   * The constant of that name.
   *
   * @param what all of them are, for people
   * @throws UnknownNameException with a line that names all there are
   */
  static <T extends Enum<T>> T ofOption(String what, Class<T> type, String option) {
    return Arrays.stream(type.getEnumConstants())
        .filter(constant -> option(constant).equals(option))
        .findFirst()
        .orElseThrow(
            () ->
                new UnknownNameException(
                    "unknown "
                        + what
                        + " "
                        + option
                        + ", there is: "
                        + Arrays.stream(type.getEnumConstants())
                            .map(Named::option)
                            .collect(Collectors.joining(", "))));
  }
}
