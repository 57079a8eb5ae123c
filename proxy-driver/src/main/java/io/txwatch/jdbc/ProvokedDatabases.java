package io.txwatch.jdbc;

import io.txwatch.history.Database;
import io.txwatch.jdbc.gate.ProvocationStarter;
import io.txwatch.settings.Setting;
import io.txwatch.settings.Settings;
import java.util.ServiceConfigurationError;
import java.util.ServiceLoader;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/** Starts the provocation of races in each database that is used: {@code txwatch.provoke}. */
final class ProvokedDatabases {

  /** The databases that were passed on, by their places, whether they were accepted or not. */
  private static final Set<String> STARTED = ConcurrentHashMap.newKeySet();

  private ProvokedDatabases() {}

  /** A connection to a database is opened. Does nothing unless the setting is on. Never throws. */
  static void opened(Database database, Settings settings) {
    if (!settings.get(Setting.PROVOKE).equals("on") || !STARTED.add(database.place())) {
      return;
    }
    try {
      ServiceLoader.load(ProvocationStarter.class, ProvocationStarter.class.getClassLoader())
          .findFirst()
          .ifPresentOrElse(
              starter -> starter.start(settings, database, ProvokedDatabases::print),
              () -> print("off, since there is no txwatch-interleave on the class path"));
    } catch (RuntimeException | LinkageError | ServiceConfigurationError e) {
      print("off: " + e);
    }
  }

  private static void print(String line) {
    System.err.println(
        "txwatch: " + (Setting.PROVOKE.key() + ": " + line).strip().replaceAll("\\s+", " "));
  }
}
