package io.txwatch.interleave.provoke;

import io.txwatch.history.Database;
import io.txwatch.interleave.state.TestDatabases;
import io.txwatch.jdbc.gate.Gates;
import io.txwatch.jdbc.gate.ProvocationStarter;
import io.txwatch.settings.Setting;
import io.txwatch.settings.Settings;
import java.time.Duration;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** Installs the one gate of this process that provokes races, for databases for tests alone. */
public final class ProcessProvocation implements ProvocationStarter {

  private static final Duration LIMIT = Duration.ofMillis(200);

  private static @Nullable ProvokingGate installed;

  public ProcessProvocation() {}

  @Override
  public void start(Settings settings, Database database, Consumer<String> log) {
    synchronized (ProcessProvocation.class) {
      if (!TestDatabases.of(settings.get(Setting.TEST_DATABASE)).contain(database.place())) {
        log.accept(
            "off for "
                + database.place()
                + ", which does not look like a database for tests: if it is one, set "
                + Setting.TEST_DATABASE.key()
                + " to a part of this URL");
      } else if (!settings.get(Setting.GATE).isEmpty()) {
        log.accept("off, since " + Setting.GATE.key() + " is set, too: set one of them");
      } else if (install(log)) {
        ProvokingGate gate = installed;
        if (gate != null) {
          gate.add(database);
        }
      }
    }
  }

  /** Returns whether the gate is installed. */
  private static boolean install(Consumer<String> log) {
    if (installed != null) {
      return true;
    }
    ProvokingGate gate = new ProvokingGate(LIMIT, ProvokingGate.ACTIVE, log);
    try {
      Gates.install(gate);
    } catch (IllegalStateException e) {
      log.accept("off, since the interleaver runs in this process: run one of them at a time");
      return false;
    }
    installed = gate;
    log.accept("transactions are held, 200 ms each at most, so that predicted races happen");
    return true;
  }
}
