package io.txwatch.bench;

import java.util.Arrays;
import java.util.Locale;
import java.util.stream.Collectors;

/**
 * Constants by the names that they have on command lines: {@code INLINE_NONE} is {@code
 * inline-none}.
 */
public final class Named {

  private Named() {}

  /** The name of a constant. */
  public static String option(Enum<?> constant) {
    return constant.name().toLowerCase(Locale.ROOT).replace('_', '-');
  }

  /**
   * The constant of that name.
   *
   * @param what all of them are, for people
   * @throws UnusableOptionException with a line that names all there are
   */
  public static <T extends Enum<T>> T ofOption(String what, Class<T> type, String option) {
    return Arrays.stream(type.getEnumConstants())
        .filter(constant -> option(constant).equals(option))
        .findFirst()
        .orElseThrow(
            () ->
                new UnusableOptionException(
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
