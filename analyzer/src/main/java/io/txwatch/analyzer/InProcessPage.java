package io.txwatch.analyzer;

import io.txwatch.link.Address;
import io.txwatch.page.LivePage;
import io.txwatch.settings.Setting;
import java.io.IOException;
import java.net.BindException;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.function.Consumer;

/**
 * The live page of a watched process: {@code txwatch.http}. It shows the results of all analyzers
 * of the process, which share the page at an address. It is served on loopback only, and while an
 * analyzer uses it: afterwards no thread remains, so that a web application can be unloaded.
 */
final class InProcessPage {

  private static final Map<Address, InProcessPage> OPEN = new HashMap<>();

  private final LivePage page;
  private int users;

  private InProcessPage(LivePage page) {
    this.page = page;
  }

  /**
   * Opens the page at an address, or uses the one that is open there. Never throws; a page that
   * cannot be opened is reported.
   *
   * @param where the setting's value: a port, or a host and a port
   * @return closes it again
   */
  static Runnable use(String where, Consumer<String> notes) {
    Optional<Address> address = Address.of(where.matches("[0-9]+") ? "127.0.0.1:" + where : where);
    try {
      if (address.isEmpty() || !LivePage.isLoopback(address.get())) {
        notes.accept(
            Setting.HTTP.key()
                + "="
                + where
                + ": expected a port, or HOST:PORT of this machine; for a page that other machines"
                + " can read, use txwatch serve");
        return () -> {};
      }
      open(address.get(), notes);
      return () -> release(address.get());
    } catch (BindException e) {
      notes.accept(
          Setting.HTTP.key()
              + "="
              + where
              + ": the address is in use or not of this machine, so there is no live page; the"
              + " application is watched all the same");
      return () -> {};
    } catch (IOException | RuntimeException e) {
      notes.accept(Setting.HTTP.key() + "=" + where + ": there is no live page: " + e);
      return () -> {};
    }
  }

  private static synchronized void open(Address address, Consumer<String> notes)
      throws IOException {
    InProcessPage open = OPEN.get(address);
    if (open == null) {
      open = new InProcessPage(LivePage.open(address, Optional.empty(), "", new ProcessSource()));
      OPEN.put(address, open);
      notes.accept(
          "live page at http://"
              + open.page.address().getAddress().getHostAddress()
              + ":"
              + open.page.address().getPort()
              + "/");
    }
    open.users++;
  }

  private static synchronized void release(Address address) {
    InProcessPage open = OPEN.get(address);
    if (open != null && --open.users == 0) {
      OPEN.remove(address);
      open.page.close();
    }
  }
}
