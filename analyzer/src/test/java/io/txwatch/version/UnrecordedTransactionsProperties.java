package io.txwatch.version;

import static org.assertj.core.api.Assertions.assertThat;

import io.txwatch.history.IsolationLevel;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.stream.IntStream;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;
import net.jqwik.api.constraints.Size;

/** Those of one connection are those of all, in the same order, whatever happened before. */
class UnrecordedTransactionsProperties {

  private enum Action {
    ADD,
    REMOVE,
    CHANGE_CONNECTION
  }

  private static final int MAX_CONNECTION = 2;

  @Property
  void ofConnectionIsAFilter(
      @ForAll @Size(max = 40) List<Action> actions,
      @ForAll @Size(40) List<@IntRange(max = 5) Integer> of,
      @ForAll @Size(40) List<@IntRange(max = MAX_CONNECTION) Integer> connections) {
    List<TimedTransaction> all =
        IntStream.range(0, 6)
            .mapToObj(id -> new TimedTransaction(id, id, IsolationLevel.UNKNOWN))
            .toList();
    UnrecordedTransactions actual = new UnrecordedTransactions();
    Set<TimedTransaction> expected = new LinkedHashSet<>();
    for (int i = 0; i < actions.size(); i++) {
      TimedTransaction transaction = all.get(of.get(i));
      switch (actions.get(i)) {
        case ADD -> {
          actual.add(transaction);
          expected.add(transaction);
        }
        case REMOVE -> {
          actual.remove(transaction);
          expected.remove(transaction);
        }
        case CHANGE_CONNECTION -> {
          transaction.connection = connections.get(i);
          actual.connectionsChanged();
        }
      }
      assertThat(actual).containsExactlyElementsOf(expected);
      for (int connection = 0; connection <= MAX_CONNECTION; connection++) {
        int wanted = connection;
        assertThat(actual.ofConnection(connection))
            .containsExactlyElementsOf(
                expected.stream().filter(each -> each.connection == wanted).toList());
      }
    }
  }
}
