package io.txwatch.shop;

import static org.assertj.core.api.Assertions.assertThat;

import io.txwatch.capture.CallSites;
import io.txwatch.history.CallSite;
import java.util.List;
import java.util.function.Supplier;
import org.junit.jupiter.api.Test;

/** An application's package, from where its calls come. */
class CallSitesTest {

  private static final CallSites CALL_SITES = CallSites.of("");

  @Test
  void namesTheLineThatCalls() {
    String here = CALL_SITES.current();
    String next = CALL_SITES.current();
    assertThat(here)
        .matches(
            "io\\.txwatch\\.shop\\.CallSitesTest\\.namesTheLineThatCalls"
                + " \\(CallSitesTest\\.java:\\d+\\)");
    assertThat(line(next)).isEqualTo(line(here) + 1);
  }

  @Test
  void seesThroughThePlatform() {
    Supplier<String> site = CALL_SITES::current;
    String direct = java.util.stream.Stream.of(1).map(i -> site.get()).findFirst().orElse("");
    assertThat(direct)
        .startsWith("io.txwatch.shop.CallSitesTest.seesThroughThePlatform (CallSitesTest.java:");
  }

  @Test
  void theSamePlaceHasTheSameName() {
    String first = "";
    for (int i = 0; i < 3; i++) {
      String site = CALL_SITES.current();
      assertThat(first.isEmpty() || first.equals(site)).isTrue();
      first = site;
    }
  }

  /**
   * Methods that are the same byte by byte are distinguished by name, and if need be by signature.
   */
  @Test
  void methodsWithTheSameCodeAreDistinguished() {
    for (int i = 0; i < 2; i++) {
      assertThat(List.of(one(), other(), one(1), one(1L))).doesNotHaveDuplicates();
    }
  }

  /** All statements go through it. */
  private static final class Helper {

    private static String execute() {
      return nested();
    }

    private static String nested() {
      return java.util.stream.Stream.of(1).map(i -> CALL_SITES.current()).findFirst().orElse("");
    }
  }

  /** The application's own helper in a file of its own. */
  @Test
  void theCallerOfAHelperIsPartOfThePlace() {
    String first = SharedHelper.execute(CALL_SITES);
    String second = SharedHelper.execute(CALL_SITES);
    assertThat(CallSite.method(first)).isEqualTo("io.txwatch.shop.SharedHelper.walk");
    assertThat(CallSite.place(first)).isEqualTo(CallSite.place(second));
    assertThat(CallSite.caller(first))
        .matches(
            "CallSitesTest\\.theCallerOfAHelperIsPartOfThePlace \\(CallSitesTest\\.java:\\d+\\)");
    assertThat(CallSite.caller(second)).isNotEqualTo(CallSite.caller(first));
  }

  @Test
  void nestedClassesAreNoCallers() {
    String site = Helper.execute();
    assertThat(CallSite.method(site)).isEqualTo("io.txwatch.shop.CallSitesTest.Helper.nested");
    assertThat(CallSite.caller(site)).isEmpty();
  }

  private static String one() {
    return CALL_SITES.current();
  }

  private static String other() {
    return CALL_SITES.current();
  }

  private static String one(int unused) {
    return unused == 0 ? "" : CALL_SITES.current();
  }

  private static String one(long unused) {
    return (int) unused == 0 ? "" : CALL_SITES.current();
  }

  private static int line(String site) {
    String place = CallSite.place(site);
    return Integer.parseInt(place.substring(place.indexOf(':') + 1));
  }
}
