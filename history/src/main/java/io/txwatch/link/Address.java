package io.txwatch.link;

import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.UnknownHostException;
import java.util.Optional;

/**
 * The address of a shared analyzer.
 *
 * @param tls whether the connection uses TLS
 * @param host its host name or IP address, an IPv6 address without brackets
 * @param port its port; 0 for any free port when listening
 */
public record Address(boolean tls, String host, int port) {

  /** {@code tcp://host:port} or {@code tls://host:port}; empty for any other text. */
  public static Optional<Address> ofUrl(String url) {
    boolean tls = url.startsWith("tls://");
    return tls || url.startsWith("tcp://")
        ? of(url.substring("tcp://".length())).map(a -> new Address(tls, a.host, a.port))
        : Optional.empty();
  }

  /** Parses {@code host:port}; empty for any other text. */
  public static Optional<Address> of(String hostAndPort) {
    int colon = hostAndPort.lastIndexOf(':');
    String host = colon < 0 ? "" : hostAndPort.substring(0, colon);
    String port = hostAndPort.substring(colon + 1);
    if (host.startsWith("[") && host.endsWith("]")) {
      host = host.substring(1, host.length() - 1);
    } else if (host.contains(":")) {
      return Optional.empty();
    }
    if (!host.matches("[\\w.:%-]+") || !port.matches("[0-9]{1,5}")) {
      return Optional.empty();
    }
    int number = Integer.parseInt(port);
    return number > 65_535 ? Optional.empty() : Optional.of(new Address(false, host, number));
  }

  /**
   * Resolves the address.
   *
   * @throws UnknownHostException if the host is unknown
   */
  public InetSocketAddress socketAddress() throws UnknownHostException {
    return new InetSocketAddress(InetAddress.getByName(host), port);
  }

  @Override
  public String toString() {
    return (tls ? "tls://" : "tcp://")
        + (host.contains(":") ? "[" + host + "]" : host)
        + ":"
        + port;
  }
}
