package io.txwatch.serve;

import io.txwatch.baseline.Baseline;
import io.txwatch.dependency.Granularity;
import io.txwatch.guarantee.Judge;
import io.txwatch.link.Address;
import io.txwatch.stale.Across;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Optional;
import javax.net.ssl.SSLContext;

/**
 * The options of a server.
 *
 * @param listen the address that clients connect to
 * @param tls the TLS context; empty for plain TCP
 * @param token the token that clients must present; empty if none is required
 * @param history the file that it writes and resumes from; empty for none
 * @param historyMaxBytes the size at which that file is renamed and a new one begins
 * @param judge the standard that levels must meet
 * @param granularity what two statements must share to depend on each other
 * @param across which transactions belong together, of which a later one may write what an earlier
 *     one had read
 * @param baseline the kinds of anomalies that are accepted
 * @param grace how long a client that was cut off is awaited
 * @param silence how long a client may send nothing before its connection is closed
 * @param memory the approximate memory limit of the analyzer, in bytes
 */
public record ServerOptions(
    Address listen,
    Optional<SSLContext> tls,
    String token,
    Optional<Path> history,
    long historyMaxBytes,
    Judge judge,
    Granularity granularity,
    Across across,
    Baseline baseline,
    Duration grace,
    Duration silence,
    long memory) {

  /** The default for {@link #grace}. */
  public static final Duration GRACE = Duration.ofSeconds(30);

  /** The default for {@link #silence}; clients send a heartbeat every second. */
  public static final Duration SILENCE = Duration.ofSeconds(20);

  /** Omits the token. */
  @Override
  public String toString() {
    return "ServerOptions[listen=" + listen + ", tls=" + tls.isPresent() + "]";
  }
}
