package io.txwatch.corpus.sent;

import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Pattern;

/**
 * The differences between what the connections of an application sent raw and what they sent
 * watched.
 *
 * @param connections the number of connections that sent the same in both runs
 * @param commands the number of commands in these
 * @param differences one line each, with the place
 * @param own what each connection sent that is txwatch's own: it has no counterpart in the raw run,
 *     and none of its commands, those aside that drivers send when they open a connection, was sent
 *     by any connection there
 */
public record SentDifferences(
    int connections, long commands, List<String> differences, List<List<String>> own) {

  /**
   * What drivers send by themselves when they open or close a connection, and what contains no text
   * by which two connections could be distinguished.
   */
  private static final Pattern OF_DRIVER =
      Pattern.compile(
          "(?is)Quit|Ping|Reset connection|Change user|Init DB .*|(?:Query\\s+|Parse [^\\x00]*\\x00)"
              + "(?:/\\*.*?\\*/\\s*)?(?:set\\s+(?!global)|select\\s+@@|show\\s+variables).*"
              + "|(?:Execute|Bulk Execute|Long Data|Close stmt|Reset stmt|Fetch|Set option) .*"
              + "|(?:Bind|Describe|Close|Copy data) .*|Sync|Flush|Terminate|Copy done"
              + "|Parse [^\\x00]*\\x00(?:BEGIN|COMMIT|ROLLBACK)\\x00.*");

  private static final int MAX_TEXT = 300;

  public SentDifferences {
    differences = List.copyOf(differences);
    own = List.copyOf(own);
  }

  /** Compares the commands of one connection, in order. */
  public static SentDifferences ofConnection(List<String> raw, List<String> watched) {
    List<String> differences = new ArrayList<>();
    if (!raw.equals(watched)) {
      differences.add(firstDifference(raw, watched));
    }
    boolean equal = differences.isEmpty();
    return new SentDifferences(equal ? 1 : 0, equal ? raw.size() : 0, differences, List.of());
  }

  /**
   * Compares runs with several connections: each sequence of commands must occur as often raw as
   * watched. Which connection was opened first, and by which thread, does not matter.
   */
  public static SentDifferences ofRuns(
      Collection<List<String>> raw, Collection<List<String>> watched) {
    Map<List<String>, Integer> left = new LinkedHashMap<>();
    Set<String> applications = new HashSet<>();
    for (List<String> sequence : raw) {
      left.merge(sequence, 1, Integer::sum);
      sequence.stream().filter(c -> !OF_DRIVER.matcher(c).matches()).forEach(applications::add);
    }
    int connections = 0;
    long commands = 0;
    List<List<String>> unmatched = new ArrayList<>();
    List<List<String>> own = new ArrayList<>();
    for (List<String> sequence : watched) {
      if (left.getOrDefault(sequence, 0) > 0) {
        left.merge(sequence, -1, Integer::sum);
        connections++;
        commands += sequence.size();
      } else if (sequence.stream().noneMatch(applications::contains)) {
        own.add(sequence);
      } else {
        unmatched.add(sequence);
      }
    }
    List<String> differences = new ArrayList<>();
    for (Map.Entry<List<String>, Integer> entry : left.entrySet()) {
      for (int i = 0; i < entry.getValue(); i++) {
        differences.add(differenceToNearest(entry.getKey(), unmatched));
      }
    }
    for (List<String> sequence : unmatched) {
      differences.add("a connection that no raw one equals: " + shortened(sequence.toString()));
    }
    return new SentDifferences(connections, commands, differences, own);
  }

  /** The differences, and those of further connections. */
  public SentDifferences plus(SentDifferences more) {
    List<String> all = new ArrayList<>(differences);
    all.addAll(more.differences);
    List<List<String>> allOwn = new ArrayList<>(own);
    allOwn.addAll(more.own);
    return new SentDifferences(
        connections + more.connections, commands + more.commands, all, allOwn);
  }

  /** The different commands of txwatch's own connections, in alphabetical order. */
  public Set<String> ownCommands() {
    Set<String> commands = new TreeSet<>();
    own.forEach(commands::addAll);
    return commands;
  }

  /** Takes the watched connection away that begins like a raw one for longest. */
  private static String differenceToNearest(List<String> raw, List<List<String>> unmatched) {
    List<String> nearest =
        unmatched.stream().max(Comparator.comparingInt(s -> samePrefix(raw, s))).orElse(List.of());
    unmatched.remove(nearest);
    return firstDifference(raw, nearest);
  }

  private static String firstDifference(List<String> raw, List<String> watched) {
    int at = samePrefix(raw, watched);
    return "command "
        + (at + 1)
        + " of "
        + raw.size()
        + " raw, "
        + watched.size()
        + " watched\n    after   "
        + (at == 0 ? "nothing" : shortened(raw.get(at - 1)))
        + "\n    raw     "
        + (at < raw.size() ? shortened(raw.get(at)) : "nothing")
        + "\n    watched "
        + (at < watched.size() ? shortened(watched.get(at)) : "nothing");
  }

  private static int samePrefix(List<String> one, List<String> other) {
    int at = 0;
    while (at < one.size() && at < other.size() && one.get(at).equals(other.get(at))) {
      at++;
    }
    return at;
  }

  private static String shortened(String text) {
    String shown = text.replaceAll("[\\x00-\\x1f\\x7f-\\x9f]", "·");
    return shown.length() <= MAX_TEXT ? shown : shown.substring(0, MAX_TEXT) + "…";
  }
}
