package io.txwatch.jdbc;

import io.txwatch.settings.Setting;
import io.txwatch.settings.Settings;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.regex.Pattern;

/**
 * Which connections are watched, by their URLs: {@code txwatch.include} and {@code
 * txwatch.exclude}. Parameters are not compared, for they may contain a password.
 */
final class WatchedUrls {

  private static final Pattern PARAMETERS = Pattern.compile("[;?].*", Pattern.DOTALL);

  private final List<Pattern> included;
  private final List<Pattern> excluded;

  private WatchedUrls(List<Pattern> included, List<Pattern> excluded) {
    this.included = included;
    this.excluded = excluded;
  }

  static WatchedUrls of(Settings settings) {
    return new WatchedUrls(
        patterns(settings.get(Setting.INCLUDE)), patterns(settings.get(Setting.EXCLUDE)));
  }

  /** The texts of a list, in which {@code *} stands for any text. */
  private static List<Pattern> patterns(String list) {
    return Arrays.stream(list.split(","))
        .map(String::strip)
        .filter(text -> !text.isEmpty())
        .map(text -> text.toLowerCase(Locale.ROOT))
        .map(text -> Pattern.compile(Pattern.quote(text).replace("*", "\\E.*\\Q")))
        .toList();
  }

  /** True if connections with that URL are watched. */
  boolean contain(String url) {
    String place = PARAMETERS.matcher(url.toLowerCase(Locale.ROOT)).replaceFirst("");
    return (included.isEmpty() || contains(included, place)) && !contains(excluded, place);
  }

  private static boolean contains(List<Pattern> patterns, String place) {
    return patterns.stream().anyMatch(pattern -> pattern.matcher(place).find());
  }
}
