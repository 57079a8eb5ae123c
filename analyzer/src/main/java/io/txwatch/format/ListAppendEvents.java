package io.txwatch.format;

import io.txwatch.format.ListHistory.Branch;
import io.txwatch.format.ListHistory.Kind;
import io.txwatch.history.Access;
import io.txwatch.history.Database;
import io.txwatch.history.Event;
import io.txwatch.history.IsolationLevel;
import io.txwatch.history.Outcome;
import io.txwatch.history.RowAccess;
import io.txwatch.history.StatementKind;
import io.txwatch.history.WriterList;
import io.txwatch.history.WriterToken;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Consumer;
import java.util.stream.IntStream;

/**
 * Converts a list-append history to events as the driver would emit them: a key is a row, an
 * element of its list a version, an append an UPDATE, and a read a SELECT.
 *
 * <p>Instead of a list, an event carries the element concerned and the one before it, which
 * suffices for the analyzer to learn a row's order. A history has as many events as operations,
 * however long its lists. An append that no transaction read is a write at an unknown position.
 */
final class ListAppendEvents {

  /** Added to a transaction's number to make its id, shown as {@code 1.17}. */
  private static final long TRANSACTIONS = 1L << 32;

  private static final long UNKNOWN_WRITERS = 2L << 32;

  /** Added to the number of a transaction with a session of its own. */
  private static final long OWN_SESSION = 1L << 62;

  private static final Database DATABASE = new Database("list-append history", "", Map.of());

  private final ListHistory history;
  private final ListOrder order;
  private final IsolationLevel level;
  private final boolean[] committed;

  /** Transactions by their ids; filled on first use. */
  private final Map<Long, Integer> numbers = new HashMap<>();

  ListAppendEvents(ListHistory history, ListOrder order, IsolationLevel level) {
    this.history = history;
    this.order = order;
    this.level = level;
    this.committed = new boolean[history.transactions()];
    for (int t = 0; t < committed.length; t++) {
      committed[t] = history.outcome(t) == Outcome.COMMITTED;
    }
    if (level != IsolationLevel.READ_UNCOMMITTED) {
      promoteReadWriters();
    }
  }

  /**
   * Treats transactions of unknown outcome as committed if a committed one read from them:
   * otherwise that read would be an aborted read, and the level is broken either way.
   */
  private void promoteReadWriters() {
    int[] longest = new int[history.names().keys()];
    for (int t = 0; t < committed.length; t++) {
      for (int op = history.firstOp(t); committed[t] && op < history.endOp(t); op++) {
        int key = history.key(op);
        if (history.kind(op) == Kind.READ && order.agrees(op)) {
          longest[key] = Math.max(longest[key], history.length(op));
        }
      }
    }
    for (int key = 0; key < longest.length; key++) {
      for (int i = 0; i < longest[key]; i++) {
        int writer = order.elements().writer(order.entry(key, i));
        if (writer >= 0 && history.outcome(writer) == Outcome.UNKNOWN) {
          committed[writer] = true;
        }
      }
    }
  }

  /** Whether a transaction committed, as far as known. */
  boolean isCommitted(int transaction) {
    return committed[transaction];
  }

  long id(int transaction) {
    return TRANSACTIONS | history.index(transaction);
  }

  /** The display name of a transaction's session. */
  String session(int transaction) {
    return "process " + history.process(transaction);
  }

  /** The operation as in the file, for display. */
  String text(int op) {
    int key = history.key(op);
    String name = history.names().table(key, Long.toString(history.names().row(key)));
    return switch (history.kind(op)) {
      case APPEND ->
          "[:append " + name + " " + history.names().valueText(history.element(op)) + "]";
      case UNKNOWN_READ -> "[:r " + name + "]";
      case READ -> "[:r " + name + " " + list(key, history.branch(op), history.length(op)) + "]";
    };
  }

  /** The operation of an event, for display, by its transaction's id and its statement number. */
  String textOf(long id, int statement) {
    if (numbers.isEmpty()) {
      for (int t = 0; t < history.transactions(); t++) {
        numbers.put(id(t), t);
      }
    }
    Integer transaction = numbers.get(id);
    return transaction == null ? "" : text(history.firstOp(transaction) + statement - 1);
  }

  private String list(int key, int branch, int length) {
    if (length == 0) {
      return "[]";
    }
    Branch elements = history.branches(key).get(branch);
    StringBuilder text = new StringBuilder("[");
    int from = length <= 6 ? 0 : length - 3;
    text.append(from > 0 ? "… " : "");
    for (int i = from; i < length; i++) {
      text.append(i > from ? " " : "").append(history.names().valueText(elements.element(i)));
    }
    return text.append(']').toString();
  }

  /** Emits the events, one transaction after another, in the order of the file. */
  void forEach(Consumer<Event> events) {
    Set<Long> opened = new HashSet<>();
    for (int t = 0; t < history.transactions(); t++) {
      long session = history.process(t) < 0 ? OWN_SESSION | t : history.process(t) + 1;
      began(session, t, opened, events);
      executed(session, t, events);
      ended(session, t, events);
    }
  }

  /**
   * Emits the events such that a transaction begins and ends where the file records its invocation
   * and completion. A transaction without an invocation begins before all others; one of unknown
   * outcome may have taken effect at any time, and ends after all others.
   */
  void forEachInRealTime(Consumer<Event> events) {
    Set<Long> opened = new HashSet<>();
    int[] begun =
        IntStream.range(0, history.transactions())
            .boxed()
            .sorted(Comparator.comparingInt(history::endedBefore))
            .mapToInt(Integer::intValue)
            .toArray();
    List<Integer> undecided = new ArrayList<>();
    int next = 0;
    for (int t = 0; t < history.transactions(); t++) {
      while (next < begun.length && history.endedBefore(begun[next]) <= t) {
        began(sessionInRealTime(begun[next]), begun[next], opened, events);
        next++;
      }
      executed(sessionInRealTime(t), t, events);
      if (history.outcome(t) == Outcome.UNKNOWN) {
        undecided.add(t);
      } else {
        ended(sessionInRealTime(t), t, events);
      }
    }
    undecided.forEach(t -> ended(sessionInRealTime(t), t, events));
  }

  private long sessionInRealTime(int transaction) {
    boolean alone =
        history.endedBefore(transaction) < 0 || history.outcome(transaction) == Outcome.UNKNOWN;
    return alone ? OWN_SESSION | transaction : history.process(transaction) + 1;
  }

  private void began(long session, int transaction, Set<Long> opened, Consumer<Event> events) {
    if ((session & OWN_SESSION) != 0 || opened.add(session)) {
      events.accept(new Event.SessionOpened(session, session(transaction), DATABASE));
    }
    events.accept(new Event.TransactionBegan(session, id(transaction), level, 0));
  }

  private void executed(long session, int transaction, Consumer<Event> events) {
    for (int op = history.firstOp(transaction); op < history.endOp(transaction); op++) {
      if (history.kind(op) != Kind.UNKNOWN_READ) {
        events.accept(statement(session, transaction, op));
      }
    }
  }

  private void ended(long session, int transaction, Consumer<Event> events) {
    Outcome outcome = committed[transaction] ? Outcome.COMMITTED : history.outcome(transaction);
    events.accept(new Event.TransactionEnded(session, id(transaction), outcome, 0));
    if ((session & OWN_SESSION) != 0) {
      events.accept(new Event.SessionClosed(session));
    }
  }

  private Event statement(long session, int transaction, int op) {
    boolean append = history.kind(op) == Kind.APPEND;
    int key = history.key(op);
    List<RowAccess> rows = List.of();
    if (append && !order.isUnusable(key)) {
      int position = order.elements().position(order.elements().find(key, history.element(op)));
      if (position >= 0) {
        rows = List.of(access(Access.UPDATE, key, position));
      }
    } else if (!append && order.agrees(op)) {
      rows = List.of(access(Access.READ, key, history.length(op) - 1));
    }
    return new Event.StatementExecuted(
        session,
        id(transaction),
        op - history.firstOp(transaction) + 1,
        append ? StatementKind.UPDATE : StatementKind.SELECT,
        "", // set only for those that are reported, see textOf
        append ? ":append" : ":r",
        rows,
        !append || !rows.isEmpty(),
        null);
  }

  private RowAccess access(Access access, int key, int position) {
    WriterList writers =
        position < 0
            ? WriterList.INITIAL
            : position == 0
                ? new WriterList(token(key, 0), true)
                : new WriterList(token(key, position - 1) + token(key, position), false);
    KeyNames names = history.names();
    return new RowAccess(access, names.table(key, "list"), names.row(key), writers);
  }

  private String token(int key, int position) {
    int entry = order.entry(key, position);
    int writer = order.elements().writer(entry);
    return writer < 0
        ? WriterToken.of(UNKNOWN_WRITERS | key, position + 1)
        : WriterToken.of(id(writer), order.elements().statement(entry));
  }
}
