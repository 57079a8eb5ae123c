package io.txwatch.analyzer;

import io.txwatch.metrics.MeterBean;
import io.txwatch.settings.ObservationLevel;
import io.txwatch.settings.Setting;
import java.util.function.Consumer;
import javax.management.JMException;
import org.jspecify.annotations.Nullable;

/**
 * The bean of a watched process: {@code txwatch.jmx}. All analyzers of the process share it, and
 * the last one removes it, unless observation was switched off, by this bean maybe: it is needed to
 * switch it on again.
 */
final class InProcessBean {

  private static @Nullable MeterBean open;
  private static int users;

  private InProcessBean() {}

  /**
   * Registers the bean, or uses the registered one. Never throws; a bean that cannot be registered
   * is reported.
   *
   * @return removes it again
   */
  static synchronized Runnable use(Consumer<String> notes) {
    try {
      if (open == null) {
        open = MeterBean.ofWatched(new ProcessSource());
      }
      users++;
      return InProcessBean::release;
    } catch (JMException | RuntimeException | LinkageError e) { // a JVM without java.management
      notes.accept(Setting.JMX.key() + "=on: there is no bean: " + e);
      return () -> {};
    }
  }

  private static synchronized void release() {
    if (open != null && --users == 0 && !ObservationLevel.isOff()) {
      open.close();
      open = null;
    }
  }
}
