package io.txwatch.dependency;

import static org.assertj.core.api.Assertions.assertThat;

import io.txwatch.history.Access;
import io.txwatch.history.Database;
import io.txwatch.history.Event;
import io.txwatch.history.IsolationLevel;
import io.txwatch.history.Outcome;
import io.txwatch.history.Product;
import io.txwatch.history.RowAccess;
import io.txwatch.history.StatementKind;
import io.txwatch.history.WriterList;
import io.txwatch.history.WriterToken;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * PostgreSQL uses its ids again after four billion transactions, and a row that was frozen before
 * shows the id of its first writer for ever. Histories are written {@code w7:900>901 r8:901}: each
 * a transaction, which writes row 7, replacing the version of 900 by its own with id 901, or reads
 * row 8 in the version of 901; {@code !} if it aborts.
 */
class RecurringIdsTest {

  private static final long SERVER = 1L << 63 | 77L << 32;

  @ParameterizedTest
  @CsvSource(
      delimiterString = "=>",
      textBlock =
          """
          0 | w7:900>901 r8:901                                => wr 1.0>2.1 row 8
          1 | w7:900>901 r8:901                                =>
          1 | r8:901 w7:900>901                                =>
          1 | w7:900>901! r8:901                               =>
          1 | w7:900>901 r7:901                                => wr 1.1>2.1 row 7
          1 | r7:901 w7:900>901                                => wr 2.1>1.1 row 7
          1 | w7:900>901 w7:901>902 r7:901                     => rw 3.1>2.1 row 7, wr 1.1>3.1 row 7, ww 1.1>2.1 row 7
          1 | w7:900>901 w8:901>902 r8:901                     => rw 3.1>2.1 row 8
          1 | r7:901 w7:901>901 r7:901                         =>
          0 | w6:4294967295>4294967294 w7:900>901 r8:901       =>
          0 | w6:1000>1001 w7:900>901 r8:901                   => wr 2.0>3.1 row 8
          """)
  void dependencies(String history, String expected) {
    String[] parts = history.split("\\|");
    List<Event> events = new ArrayList<>();
    long transaction = 0;
    for (String text : parts[1].strip().split(" ")) {
      events.addAll(transaction(++transaction, text, parts[0].strip()));
    }
    Set<String> found = new DependencyRecorder(events).all;
    assertThat(String.join(", ", found)).isEqualTo(expected == null ? "" : expected);
  }

  private static List<Event> transaction(long id, String text, String epoch) {
    String step = text.replace("!", "");
    boolean writes = step.startsWith("w");
    StringBuilder tokens = new StringBuilder();
    for (String writer : step.substring(step.indexOf(':') + 1).split(">")) {
      tokens.append(WriterToken.of(SERVER | Long.parseLong(writer), WriterToken.BY_DBMS));
    }
    long row = Long.parseLong(step.substring(1, step.indexOf(':')));
    RowAccess accessed =
        new RowAccess(
            writes ? Access.UPDATE : Access.READ,
            "t",
            row,
            new WriterList(tokens.toString(), false));
    Map<String, String> settings = epoch.equals("0") ? Map.of() : Map.of("xid_epoch", epoch);
    return List.of(
        new Event.SessionOpened(
            id, "s" + id, new Database(new Product("PostgreSQL", "18.6"), settings)),
        new Event.TransactionBegan(id, id, IsolationLevel.READ_COMMITTED, 0),
        new Event.StatementExecuted(
            id,
            id,
            1,
            writes ? StatementKind.UPDATE : StatementKind.SELECT,
            "",
            "",
            List.of(accessed),
            true,
            null),
        new Event.TransactionEnded(
            id, id, text.endsWith("!") ? Outcome.ABORTED : Outcome.COMMITTED, 0, 2));
  }
}
