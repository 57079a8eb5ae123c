package io.txwatch.corpus.suite;

import io.txwatch.corpus.sent.SentBytes;
import io.txwatch.corpus.sent.SentCommands;
import io.txwatch.corpus.sent.SentDifferences;
import io.txwatch.servers.ServerKind;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;

/**
 * What the connections of a suite sent in two raw runs and a watched one.
 *
 * @param rawToRaw compares the two raw runs
 * @param rawToWatched compares the first raw run and the watched one
 * @param stable the connections that the raw runs have in common
 * @param missing how many of these the watched run does not have
 * @param unreadable the connections of the three runs that cannot be compared, since they are
 *     encrypted or compressed
 */
record SentReport(
    SentDifferences rawToRaw,
    SentDifferences rawToWatched,
    int stable,
    int missing,
    int unreadable) {

  private static final int MAX_LINES = 10;
  private static final int MAX_LENGTH = 1_500;

  /**
   * What one run sent.
   *
   * @param connections the commands of each connection
   * @param unreadable the number of connections that are encrypted or compressed
   */
  record Run(List<List<String>> connections, int unreadable) {

    Run {
      connections = List.copyOf(connections);
    }

    /** Waits until all clients have closed their connections. */
    static Run of(ServerKind kind, SentBytes relay) throws InterruptedException {
      List<List<String>> connections = new ArrayList<>();
      int unreadable = 0;
      for (SentBytes.OfClient client : relay.clients()) {
        client.awaitEnd();
        Optional<List<String>> commands = SentCommands.of(kind, client.bytes());
        if (commands.isEmpty()) {
          unreadable++;
        } else if (!commands.get().isEmpty()) {
          connections.add(commands.get());
        }
      }
      return new Run(connections, unreadable);
    }
  }

  static SentReport of(Run raw, Run second, Run watched) {
    List<List<String>> stable = new ArrayList<>();
    List<List<String>> left = new ArrayList<>(second.connections());
    for (List<String> connection : raw.connections()) {
      if (left.remove(connection)) {
        stable.add(connection);
      }
    }
    SentDifferences ofStable = SentDifferences.ofRuns(stable, watched.connections());
    return new SentReport(
        SentDifferences.ofRuns(raw.connections(), second.connections()),
        SentDifferences.ofRuns(raw.connections(), watched.connections()),
        stable.size(),
        stable.size() - ofStable.connections(),
        raw.unreadable() + second.unreadable() + watched.unreadable());
  }

  /**
   * True if the watched run has all connections that the raw runs have in common, and, where these
   * do not differ, no others but txwatch's own.
   */
  boolean isEqual() {
    return missing == 0
        && (!rawToRaw.differences().isEmpty() || rawToWatched.differences().isEmpty());
  }

  String text() {
    StringBuilder text = new StringBuilder();
    text.append("\n| sent | connections | commands | differences | txwatch's own connections |\n");
    text.append("|---|---:|---:|---:|---:|\n");
    text.append(row("raw, both runs", rawToRaw)).append(row("raw and watched", rawToWatched));
    text.append('\n').append(missing).append(" of the ").append(stable);
    text.append(" connections that are equal in both raw runs are missing watched, ");
    text.append(unreadable).append(" connections are encrypted or compressed\n");
    append(text, "raw to raw", rawToRaw.differences());
    append(text, "raw to watched", rawToWatched.differences());
    append(text, "txwatch's own", List.copyOf(rawToWatched.ownCommands()));
    return text.toString();
  }

  private static String row(String name, SentDifferences found) {
    return String.format(
        Locale.ROOT,
        "| %s | %d | %d | %d | %d |%n",
        name,
        found.connections(),
        found.commands(),
        found.differences().size(),
        found.own().size());
  }

  private static void append(StringBuilder text, String name, List<String> lines) {
    for (String line : lines.subList(0, Math.min(MAX_LINES, lines.size()))) {
      String shown = line.replaceAll("[\\x00-\\x09\\x0b-\\x1f\\x7f-\\x9f]", "·");
      text.append(name).append(": ").append(shown, 0, Math.min(MAX_LENGTH, shown.length()));
      text.append('\n');
    }
  }
}
