package io.txwatch.analyzer;

import io.txwatch.coverage.Coverage;
import io.txwatch.link.Address;
import io.txwatch.page.LivePage;
import io.txwatch.page.LiveSource;
import io.txwatch.report.AnomalyGroups.Group;
import io.txwatch.settings.Setting;
import java.io.IOException;
import java.util.HashMap;
import java.util.List;
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
    } catch (IOException | RuntimeException | LinkageError e) { // a JVM without jdk.httpserver
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

  /** The results of all analyzers of the process. */
  private static final class ProcessSource implements LiveSource {

    @Override
    public String name() {
      return "in process " + ProcessHandle.current().pid();
    }

    @Override
    public List<Group> anomalies() {
      return InProcessResults.all().stream().flatMap(r -> r.groups().stream()).toList();
    }

    @Override
    public Figures figures() {
      Coverage coverage = Coverage.NONE;
      long found = 0;
      long bytes = 0;
      for (InProcessResults results : InProcessResults.all()) {
        coverage = coverage.plus(results.coverage());
        found += results.ungrouped();
        found += results.groups().stream().mapToLong(Group::count).sum();
        bytes += results.graphBytes();
      }
      return new Figures(coverage, found, coverage.sessions(), bytes, coverage.dropped());
    }
  }
}
