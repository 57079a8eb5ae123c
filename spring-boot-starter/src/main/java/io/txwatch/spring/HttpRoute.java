package io.txwatch.spring;

import org.jspecify.annotations.Nullable;
import org.springframework.web.context.request.RequestContextHolder;
import org.springframework.web.context.request.ServletRequestAttributes;

/**
 * The route of a request to a Spring MVC controller: {@code GET /orders/{id}}. In a class of its
 * own, since not every application has a servlet container.
 */
final class HttpRoute {

  /** {@code HandlerMapping.BEST_MATCHING_PATTERN_ATTRIBUTE}. */
  private static final String PATTERN =
      "org.springframework.web.servlet.HandlerMapping.bestMatchingPattern";

  private HttpRoute() {}

  /** The route of the request that the calling thread serves; null if there is none. */
  static @Nullable String current() {
    if (!(RequestContextHolder.getRequestAttributes() instanceof ServletRequestAttributes served)) {
      return null;
    }
    Object pattern = served.getRequest().getAttribute(PATTERN);
    return pattern == null ? null : served.getRequest().getMethod() + " " + pattern;
  }
}
