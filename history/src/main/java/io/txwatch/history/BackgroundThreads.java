package io.txwatch.history;

import java.security.AccessController;
import java.security.PrivilegedAction;

/**
 * Creates the threads that txwatch runs within an application. They inherit nothing from the thread
 * that creates them: no context class loader, no thread locals, and no access control context,
 * which (before JDK 24) references the class loader of every class on the stack. So a web
 * application can be unloaded while they run.
 */
public final class BackgroundThreads {

  private BackgroundThreads() {}

  /** Returns a daemon thread that is not started yet. */
  @SuppressWarnings("removal")
  public static Thread create(String name, Runnable body) {
    return AccessController.doPrivileged(
        (PrivilegedAction<Thread>)
            () -> {
              Thread thread = new Thread(null, body, name, 0, false);
              thread.setDaemon(true);
              thread.setContextClassLoader(BackgroundThreads.class.getClassLoader());
              return thread;
            });
  }
}
