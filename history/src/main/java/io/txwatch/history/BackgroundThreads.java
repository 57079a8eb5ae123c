package io.txwatch.history;

import java.security.AccessController;
import java.security.PrivilegedAction;

/**
 * Threads of our own within an application. They keep nothing of who happens to create them: no
 * context class loader, no thread locals, and no access control context, which holds (before JDK
 * 24) the class loader of every class on the stack. So a web application can be unloaded while they
 * run.
 */
public final class BackgroundThreads {

  private BackgroundThreads() {}

  /** A daemon thread, not started. */
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
