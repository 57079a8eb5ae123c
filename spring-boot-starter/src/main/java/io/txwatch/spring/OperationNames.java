package io.txwatch.spring;

import org.jspecify.annotations.Nullable;
import org.springframework.transaction.support.TransactionSynchronizationManager;
import org.springframework.util.ClassUtils;

/**
 * What Spring calls the transaction of the calling thread: its {@code @Transactional} method, or,
 * if that is none of the application's, the route of the HTTP request that the thread serves.
 */
final class OperationNames {

  /** Methods of Spring itself: those of repositories are transactions of their own. */
  private static final String SPRING = "org.springframework.";

  private static final boolean HAS_TRANSACTIONS =
      isPresent("org.springframework.transaction.support.TransactionSynchronizationManager");

  private static final boolean HAS_REQUESTS =
      isPresent("org.springframework.web.context.request.ServletRequestAttributes")
          && isPresent("jakarta.servlet.http.HttpServletRequest");

  private OperationNames() {}

  private static boolean isPresent(String className) {
    return ClassUtils.isPresent(className, OperationNames.class.getClassLoader());
  }

  /** The name; null if there is none. */
  static @Nullable String current() {
    String method =
        HAS_TRANSACTIONS ? TransactionSynchronizationManager.getCurrentTransactionName() : null;
    if (method != null && !method.startsWith(SPRING)) {
      return method;
    }
    String route = HAS_REQUESTS ? HttpRoute.current() : null;
    return route == null ? method : route;
  }
}
