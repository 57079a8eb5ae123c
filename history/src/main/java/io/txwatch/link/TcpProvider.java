package io.txwatch.link;

import io.txwatch.history.EventSink;
import io.txwatch.history.EventSinkProvider;
import io.txwatch.settings.Setting;
import io.txwatch.settings.Settings;
import java.io.IOException;
import java.util.Optional;
import javax.net.ssl.SSLContext;

/**
 * Connects to an analyzer shared by several processes: {@code txwatch.analyzer=tcp://host:port}.
 */
public class TcpProvider implements EventSinkProvider {

  public TcpProvider() {}

  @Override
  public String name() {
    return "tcp";
  }

  @Override
  public EventSink open(Settings settings) throws IOException {
    String url = settings.get(Setting.ANALYZER);
    Address address =
        Address.ofUrl(url)
            .filter(found -> found.port() > 0)
            .orElseThrow(
                () ->
                    new IOException(
                        Setting.ANALYZER.key()
                            + "="
                            + url
                            + ": expected tcp://HOST:PORT or tls://HOST:PORT"));
    Optional<SSLContext> tls =
        address.tls()
            ? Optional.of(Tls.client(settings.path(Setting.TLS_TRUST)))
            : Optional.empty();
    return new TcpSink(
        address,
        settings.get(Setting.TOKEN).strip(),
        tls,
        (long) settings.number(Setting.BUFFER) << 20,
        settings.get(Setting.SERVICE),
        line -> System.err.println("txwatch: " + line));
  }

  /** The same with TLS: {@code txwatch.analyzer=tls://host:port}. */
  public static final class OverTls extends TcpProvider {

    public OverTls() {}

    @Override
    public String name() {
      return "tls";
    }
  }
}
