package io.txwatch.history;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class CallSiteTest {

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      nullValues = "none",
      value = {
        "shop.Bank | transfer | shop.Bank.transfer",
        "Bank | transfer | Bank.transfer",
        "shop.Bank$Inner | transfer | shop.Bank.Inner.transfer",
        "shop.Bank$1 | run | shop.Bank.run",
        "shop.Bank$Inner$2$1 | run | shop.Bank.Inner.run",
        "shop.Bank | lambda$transfer$0 | shop.Bank.transfer",
        "shop.Bank | lambda$lambda$transfer$0$1 | shop.Bank.transfer",
        "shop.Bank | lambda$new$3 | shop.Bank.<init>",
        "shop.Bank | lambda$static$3 | shop.Bank.<clinit>",
        "shop.BankKt | transfer$lambda$2 | shop.BankKt.transfer",
        "shop.Bank$ | $anonfun$transfer$1 | shop.Bank.transfer",
        "shop.Bank | lambda$ | shop.Bank.lambda$",
      })
  void methodIsNamedAsInTheSource(String type, String method, String named) {
    String callSite = CallSite.of(type, method, "Bank.java:41");
    assertThat(callSite).isEqualTo(named + " (Bank.java:41)");
    assertThat(CallSite.method(callSite)).isEqualTo(named);
    assertThat(CallSite.place(callSite)).isEqualTo("Bank.java:41");
  }

  @Test
  void sampledCallSiteIsMarked() {
    String callSite = CallSite.usually("shop.Bank.transfer (Bank.java:41)");
    assertThat(CallSite.place(callSite)).isEqualTo("Bank.java:41");
    assertThat(CallSite.line(callSite)).isEqualTo("Bank.java:41 (usually)");
    assertThat(CallSite.method(callSite)).isEqualTo("shop.Bank.transfer");
    assertThat(CallSite.shown(callSite)).isEqualTo("Bank.transfer (Bank.java:41) (usually)");
  }

  @Test
  void callerIsApartFromThePlace() {
    String dao = CallSite.of("shop.Dao", "find", "Dao.java:12");
    String bank = CallSite.of("shop.Bank", "transfer", "Bank.java:41");
    String exact = CallSite.calledFrom(dao, bank);
    assertThat(exact).isEqualTo("shop.Dao.find (Dao.java:12) <- shop.Bank.transfer (Bank.java:41)");
    for (String callSite : List.of(exact, CallSite.usually(exact))) {
      assertThat(CallSite.place(callSite)).isEqualTo("Dao.java:12");
      assertThat(CallSite.method(callSite)).isEqualTo("shop.Dao.find");
      assertThat(CallSite.caller(callSite)).isEqualTo("Bank.transfer (Bank.java:41)");
    }
    assertThat(CallSite.line(exact)).isEqualTo("Dao.java:12");
    assertThat(CallSite.shown(exact)).isEqualTo("Dao.find (Dao.java:12)");
    assertThat(CallSite.shown(CallSite.usually(exact)))
        .isEqualTo("Dao.find (Dao.java:12) (usually)");
    assertThat(CallSite.caller(dao)).isEmpty();
  }

  @ParameterizedTest
  @CsvSource({
    "''",
    "Bank.java:41",
    "Bank.java:41 (usually)",
    "Bank.java",
    ":append",
    "a)",
    "(",
    ")"
  })
  void callSiteWithoutAMethodIsShownAsItIs(String callSite) {
    assertThat(CallSite.method(callSite)).isEmpty();
    assertThat(CallSite.line(callSite)).isEqualTo(callSite);
    assertThat(CallSite.shown(callSite)).isEqualTo(callSite);
    assertThat(CallSite.place(callSite)).isEqualTo(callSite.replace(" (usually)", ""));
  }
}
