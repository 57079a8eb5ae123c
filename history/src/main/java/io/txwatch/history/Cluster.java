package io.txwatch.history;

/**
 * The primary and the standbys that replicate it byte by byte, and which of the two a server is: a
 * row has the same id and the same versions on all of them.
 *
 * @param id identifies the cluster, the database and the default schema; empty if unknown
 * @param isStandby whether the server replays what the primary wrote
 */
public record Cluster(String id, boolean isStandby) {

  /** Of a server that is not known to be replicated so. */
  public static final Cluster UNKNOWN = new Cluster("", false);

  /** False if nothing relates the server's versions to those of another one. */
  public boolean isKnown() {
    return !id.isEmpty();
  }
}
