package io.txwatch.catalog;

import io.txwatch.history.Cluster;
import io.txwatch.history.Database;
import java.util.List;
import java.util.Map;

/**
 * How a session begins, read from itself: what the server hands to new sessions may change while it
 * runs ({@code SET GLOBAL}, {@code ALTER SYSTEM}, {@code ALTER ROLE}), so what an earlier one had
 * does not do.
 *
 * @param path the schemas in which it looks unqualified names up, first first
 * @param otherLexis true if it reads texts in another way than we do ({@link SessionSqlMode})
 * @param storesAsGiven true if values are stored as they are given, or refused
 * @param serverRun identifies the run of the server that the session is in, among all runs of all
 *     servers that the URL may reach ({@link Database#run}); empty if unknown
 * @param settings what its history states of the server besides ({@link Database#settings})
 * @param cluster the cluster of the server, without the schema; {@link Cluster#UNKNOWN} if it is
 *     not known to be replicated so that versions are the same
 */
public record InitialSessionState(
    List<String> path,
    boolean otherLexis,
    boolean storesAsGiven,
    String serverRun,
    Map<String, String> settings,
    Cluster cluster) {

  /** The same in a run of the server. */
  InitialSessionState in(String run) {
    return new InitialSessionState(path, otherLexis, storesAsGiven, run, settings, cluster);
  }

  /** One of which nothing is stated besides. */
  public InitialSessionState(
      List<String> path, boolean otherLexis, boolean storesAsGiven, String serverRun) {
    this(path, otherLexis, storesAsGiven, serverRun, Map.of(), Cluster.UNKNOWN);
  }

  /** One in which nothing is known of how rows are written. */
  public InitialSessionState(List<String> path, boolean otherLexis) {
    this(path, otherLexis, false, "");
  }
}
