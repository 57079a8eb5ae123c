package io.txwatch.interleave.run;

import static org.assertj.core.api.Assertions.assertThat;

import io.txwatch.history.Database;
import io.txwatch.history.IsolationLevel;
import io.txwatch.history.Product;
import io.txwatch.interleave.run.OperationRun.State;
import io.txwatch.jdbc.gate.GatedCall;
import io.txwatch.jdbc.gate.GatedCall.Type;
import io.txwatch.jdbc.gate.GatedConnection;
import java.lang.reflect.Proxy;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/** Whose the call of a thread is that no operation has started. */
class CallOwnersTest {

  private static final long LATER = TimeUnit.SECONDS.toNanos(1);

  private final OperationRun one = run("one");
  private final OperationRun other = run("other");
  private final CallOwners owners = new CallOwners(List.of(one, other));

  private static OperationRun run(String name) {
    return new OperationRun(new Operation(name, () -> ""), () -> {});
  }

  private static GatedCall call() {
    Database database = new Database(new Product("H2", "2.5"), Map.of());
    GatedConnection connection =
        (GatedConnection)
            Proxy.newProxyInstance(
                GatedConnection.class.getClassLoader(),
                new Class<?>[] {GatedConnection.class},
                (proxy, method, arguments) ->
                    switch (method.getName()) {
                      case "number" -> 7L;
                      case "database" -> database;
                      case "level" -> IsolationLevel.READ_COMMITTED;
                      case "hashCode" -> 7;
                      case "equals" -> proxy == arguments[0];
                      default -> false;
                    });
    return GatedCall.on(connection, Type.STATEMENT, List.of(), "");
  }

  @Test
  void itIsThatOfTheOnlyOneThatRuns() {
    one.state(State.RUNNING);
    other.state(State.AT_GATE);
    assertThat(owners.of(call(), null, 0).run()).isSameAs(one);
  }

  @Test
  void itIsNobodysWhileNoneRuns() {
    one.state(State.AT_GATE);
    other.state(State.AT_GATE);
    CallOwners.Owner owner = owners.of(call(), null, 0);
    assertThat(owner.isKnown()).isTrue();
    assertThat(owner.run()).isNull();
  }

  /** The DBMS lets the other one go on while this one's commit has not returned yet. */
  @Test
  void itIsNotKnownWhileOneIsBlockedOrPerhapsNoMore() {
    one.state(State.RUNNING);
    other.arrived(call());
    other.released();
    other.state(State.BLOCKED);
    assertThat(owners.of(call(), null, 0).isKnown()).isFalse();
    assertThat(owners.of(call(), null, LATER).run()).isSameAs(one);
    one.state(State.AT_GATE);
    assertThat(owners.of(call(), null, 0).isKnown()).isFalse();
    assertThat(owners.of(call(), null, LATER).isKnown()).isTrue();
    assertThat(OwnerSnapshot.of(List.of(one, other), owners).isUnowned(call(), null)).isFalse();
  }
}
