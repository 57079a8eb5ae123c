package io.txwatch.interleave.state;

import io.txwatch.settings.Setting;
import io.txwatch.settings.Settings;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Properties;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * The databases whose rows may be changed and restored again and again: those in this process or in
 * a file, those on this machine, those with {@code test} as a word of their host or name, and those
 * that {@code txwatch.test-database} lists. One with {@code prod}, {@code production} or {@code
 * live} as a word needs to be listed wherever it is.
 */
public final class TestDatabases {

  private static final Pattern HOSTS = Pattern.compile("//([^/]*)");
  private static final Pattern LOCAL =
      Pattern.compile("(localhost|127\\.[0-9.]+|\\[?::1]?|host\\.docker\\.internal)(:[0-9]+)?");
  private static final Pattern TEST = word("tests?");
  private static final Pattern PRODUCTION = word("prod|production|live");

  private final List<String> listed;

  private TestDatabases(List<String> listed) {
    this.listed = listed;
  }

  /** A word in a name whose words are separated by other characters than letters. */
  private static Pattern word(String alternatives) {
    return Pattern.compile("(?<![a-z])(" + alternatives + ")(?![a-z])");
  }

  /** All databases. */
  public static TestDatabases all() {
    return new TestDatabases(List.of(""));
  }

  /** Those that the settings of this process list, beside the usual ones. */
  public static TestDatabases ofProcess() {
    return of(Settings.ofUrlProperties(new Properties()).get(Setting.TEST_DATABASE));
  }

  /**
   * Those of a list, beside the usual ones.
   *
   * @param list texts that URLs contain, separated by commas
   */
  public static TestDatabases of(String list) {
    return new TestDatabases(
        Arrays.stream(list.toLowerCase(Locale.ROOT).split(","))
            .map(String::strip)
            .filter(text -> !text.isEmpty())
            .toList());
  }

  /**
   * Rejects others.
   *
   * @param url without parameters and credentials
   * @throws RefusedDatabaseException if it is another one
   */
  public void demand(String url) {
    if (!contain(url)) {
      throw new RefusedDatabaseException(
          url
              + " does not look like a database for tests, and its rows would be changed and"
              + " restored again and again: if it is one, set "
              + Setting.TEST_DATABASE.key()
              + " to a part of this URL");
    }
  }

  /**
   * True if it is one of them.
   *
   * @param url without parameters and credentials
   */
  public boolean contain(String url) {
    String text = url.toLowerCase(Locale.ROOT);
    if (listed.stream().anyMatch(text::contains)) {
      return true;
    }
    Matcher hosts = HOSTS.matcher(text);
    boolean isHere =
        !hosts.find()
            || hosts.group(1).isEmpty()
            || Arrays.stream(hosts.group(1).split(",")).allMatch(h -> LOCAL.matcher(h).matches());
    String name = text.substring(text.indexOf(':') + 1);
    return !PRODUCTION.matcher(name).find() && (isHere || TEST.matcher(name).find());
  }
}
