package io.txwatch.format;

import io.txwatch.history.Access;
import io.txwatch.history.Event;
import io.txwatch.history.RowAccess;
import io.txwatch.history.WriterList;
import io.txwatch.history.WriterToken;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The transactions behind the ids that a DBMS gave to writers ({@link WriterToken#BY_DBMS}),
 * learned from a whole history: the last token of an INSERT or UPDATE is its own transaction's.
 *
 * <p>A transaction has several such ids if it used savepoints. An id that two transactions claim
 * identifies neither.
 */
final class WriterIds {

  /**
   * A transaction that wrote under an id.
   *
   * @param statement one of its statements that did, from 1; 0 if none was observed
   */
  record Writer(long transaction, int statement) {}

  private final Map<Long, Writer> writers = new HashMap<>();
  private final Set<Long> contested = new HashSet<>();
  private final Map<Long, List<Event.StatementsUndone>> undone = new HashMap<>();

  void learn(Event event) {
    if (event instanceof Event.StatementExecuted e && e.succeeded()) {
      for (RowAccess access : e.rows()) {
        WriterList list = access.writers();
        int last = list.size() - 1;
        boolean own = access.access() == Access.INSERT || access.access() == Access.UPDATE;
        if (own && access.certain() && last >= 0 && isById(list, last)) {
          identify(list.transaction(last), new Writer(e.transaction(), e.statement()));
        }
      }
    } else if (event instanceof Event.TransactionIdentified e) {
      identify(e.idByDbms(), new Writer(e.transaction(), 0));
    } else if (event instanceof Event.StatementsUndone e) {
      undone.computeIfAbsent(e.transaction(), t -> new ArrayList<>()).add(e);
    }
  }

  private void identify(long id, Writer writer) {
    Writer known = writers.putIfAbsent(id, writer);
    if (known != null && known.transaction != writer.transaction) {
      contested.add(id);
    } else if (known != null && known.statement == 0) {
      writers.put(id, writer);
    }
  }

  /** Whether a token of a list has an id that the DBMS gave. */
  static boolean isById(WriterList list, int i) {
    return list.statement(i) == WriterToken.BY_DBMS;
  }

  /** Whether several transactions claim an id, so that who wrote a version is unknown. */
  boolean isContested(long id) {
    return contested.contains(id);
  }

  /** The transaction behind an id; null if it was not observed. */
  @Nullable Writer writer(long id) {
    return writers.get(id);
  }

  /** Whether a rollback to a savepoint undid a statement. */
  boolean isUndone(long transaction, int statement) {
    return undone(transaction).stream()
        .anyMatch(u -> statement >= u.firstStatement() && statement <= u.lastStatement());
  }

  List<Event.StatementsUndone> undone(long transaction) {
    return undone.getOrDefault(transaction, List.of());
  }
}
