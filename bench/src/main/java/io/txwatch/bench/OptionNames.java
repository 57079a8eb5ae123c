package io.txwatch.bench;

import io.txwatch.servers.ServerKind;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.stream.Collectors;

/**
 * Converts enum constants to and from option values: {@code INLINE_NONE} is {@code inline-none}.
 */
public final class OptionNames {

  private OptionNames() {}

  /** The option value of a constant. */
  public static String option(Enum<?> constant) {
    return constant.name().toLowerCase(Locale.ROOT).replace('_', '-');
  }

  /**
   * The constant of an option value.
   *
   * @param what the kind of constant, for the error message
   * @throws UnusableOptionException with a list of all option values
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
                            .map(OptionNames::option)
                            .collect(Collectors.joining(", "))));
  }

  /** The DBMSs of option values. */
  public static List<ServerKind> serverKinds(List<String> options) {
    return options.stream().map(option -> ofOption("DBMS", ServerKind.class, option)).toList();
  }
}
