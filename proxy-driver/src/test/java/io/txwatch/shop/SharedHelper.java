package io.txwatch.shop;

import io.txwatch.capture.CallSites;
import java.util.function.Supplier;

/** An application's class through which all its statements are executed. */
final class SharedHelper {

  private SharedHelper() {}

  static String execute(CallSites sites) {
    Supplier<String> site = () -> walk(sites);
    return site.get();
  }

  private static String walk(CallSites sites) {
    return sites.current();
  }
}
