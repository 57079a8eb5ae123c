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
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/**
 * Two servers may give the same id to two transactions: a standby that replaced its primary, or ids
 * that have been used up. Then the id identifies neither.
 */
class ContestedIdTest {

  private static final long LOADER = 900;
  private static final long SHARED = 901;
  private static final long OWN = 902;

  private static Stream<Event> transaction(
      long id, StatementKind kind, Access access, int row, long... writers) {
    StringBuilder tokens = new StringBuilder();
    for (long writer : writers) {
      tokens.append(WriterToken.of(writer, WriterToken.BY_DBMS));
    }
    RowAccess accessed = new RowAccess(access, "t", row, new WriterList(tokens.toString(), false));
    return Stream.of(
        new Event.SessionOpened(
            id, "s" + id, new Database(new Product("PostgreSQL", "18.6"), Map.of())),
        new Event.TransactionBegan(id, id, IsolationLevel.READ_COMMITTED, 0),
        new Event.StatementExecuted(id, id, 1, kind, "", "", List.of(accessed), true, null),
        new Event.TransactionEnded(id, id, Outcome.COMMITTED, 0, 2));
  }

  private static Stream<Event> write(long id, int row, long... writers) {
    return transaction(id, StatementKind.UPDATE, Access.UPDATE, row, writers);
  }

  private static Stream<Event> read(long id, int row, long writer) {
    return transaction(id, StatementKind.SELECT, Access.READ, row, writer);
  }

  @SafeVarargs
  private static java.util.Set<String> dependencies(Stream<Event>... transactions) {
    return new DependencyRecorder(Stream.of(transactions).flatMap(t -> t).toList()).all;
  }

  @Test
  void anIdOfOneTransactionAttributesItsVersions() {
    assertThat(dependencies(write(1, 7, LOADER, SHARED), write(2, 8, LOADER, OWN), read(3, 8, OWN)))
        .containsExactly("wr 2.1>3.1 row 8");
  }

  @Test
  void anIdOfTwoTransactionsAttributesNoFurtherVersion() {
    assertThat(
            dependencies(
                write(1, 7, LOADER, SHARED), write(2, 8, LOADER, SHARED), read(3, 8, SHARED)))
        .isEmpty();
  }
}
