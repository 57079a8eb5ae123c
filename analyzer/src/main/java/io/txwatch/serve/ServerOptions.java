package io.txwatch.serve;

import io.txwatch.guarantee.Judge;
import io.txwatch.link.Address;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Optional;
import javax.net.ssl.SSLContext;

/**
 * How a server is to be.
 *
 * @param listen where clients find it
 * @param tls what it speaks TLS with; empty for plain TCP
 * @param token what clients must know; empty if anybody may come
 * @param history the file that it writes, and goes on from; empty for none
 * @param historyMaxBytes the size of that file at which it is renamed and a new one is begun
 * @param judge what levels are held to
 * @param grace how long a client that was cut off is waited for
 * @param silence how long a client may say nothing at all before its connection is closed
 * @param memory bytes, roughly, that the analyzer may hold
 */
public record ServerOptions(
    Address listen,
    Optional<SSLContext> tls,
    String token,
    Optional<Path> history,
    long historyMaxBytes,
    Judge judge,
    Duration grace,
    Duration silence,
    long memory) {

  /** How long a client that was cut off is waited for, unless somebody says otherwise. */
  public static final Duration GRACE = Duration.ofSeconds(30);

  /** How long a client may be silent: it says every second that it is there. */
  public static final Duration SILENCE = Duration.ofSeconds(20);

  /** Does not show the token. */
  @Override
  public String toString() {
    return "ServerOptions[listen=" + listen + ", tls=" + tls.isPresent() + "]";
  }
}
