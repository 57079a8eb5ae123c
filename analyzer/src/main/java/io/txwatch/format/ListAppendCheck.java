package io.txwatch.format;

import io.txwatch.analyzer.Analyzer;
import io.txwatch.anomaly.AdyaLevel;
import io.txwatch.anomaly.Anomaly;
import io.txwatch.anomaly.Confidence;
import io.txwatch.anomaly.ObservedStatement;
import io.txwatch.anomaly.ObservedTransaction;
import io.txwatch.anomaly.Phenomenon;
import io.txwatch.anomaly.Verdict;
import io.txwatch.dependency.CommitOrder;
import io.txwatch.dependency.Dependency;
import io.txwatch.dependency.DependencyKind;
import io.txwatch.dependency.EdgeEvidence;
import io.txwatch.format.ListHistory.Kind;
import io.txwatch.guarantee.Judge;
import io.txwatch.history.Database;
import io.txwatch.history.IsolationLevel;
import io.txwatch.history.Outcome;
import io.txwatch.history.StatementKind;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Consumer;

/**
 * Checks a list-append history.
 *
 * <p>The analyzer, which is fed {@linkplain ListAppendEvents events}, finds cycles, aborted and
 * intermediate reads. This class finds what only lists show, by Elle's rules (Kingsbury and Alvaro
 * 2020, §4.2 and §6; jepsen-io/elle, {@code list_append.clj}): contradictory lists, elements that
 * occur twice in a list or that no transaction appended, aborted appends within a list, and reads
 * that lack the reader's own append.
 */
final class ListAppendCheck {

  private static final Database DATABASE = new Database("list-append history", "", Map.of());

  /** The analyzer detects an own write above the version read within this distance. */
  private static final int WINDOW = 16;

  private final ListHistory history;
  private final ListOrder order;
  private final ListAppendEvents events;
  private final IsolationLevel level;
  private final Consumer<Anomaly> found;

  /** For each key, the positions of elements that must not exist and were not reported yet. */
  private final Map<Integer, List<Integer>> suspects = new HashMap<>();

  ListAppendCheck(ListHistory history, IsolationLevel level, Consumer<Anomaly> found) {
    this.history = history;
    this.order = new ListOrder(history);
    this.events = new ListAppendEvents(history, order, level);
    this.level = level;
    this.found = found;
  }

  /**
   * Reports every anomaly.
   *
   * @param memory the approximate memory limit of the analyzer, in bytes
   * @param orders the orders that count besides dependencies
   * @return what the history contained
   */
  Seen run(long memory, Set<CommitOrder> orders) {
    order.faults().forEach(this::report);
    collectSuspects();
    boolean related = false;
    for (int t = 0; t < history.transactions(); t++) {
      if (events.isCommitted(t)) {
        for (int op = history.firstOp(t); op < history.endOp(t); op++) {
          if (history.kind(op) == Kind.READ && order.agrees(op)) {
            checkRead(t, op);
            related |= relates(t, op);
          }
        }
      }
    }
    try (Analyzer analyzer = new Analyzer(Judge.ADYA, this::reportWithoutAdvice, memory, orders)) {
      if (orders.contains(CommitOrder.REAL_TIME)) {
        events.forEachInRealTime(analyzer::accept);
      } else {
        events.forEach(analyzer::accept);
      }
      return new Seen(related, analyzer.coverage().gaps().isEmpty());
    }
  }

  /** Omits the advice: the DBMS is unknown, and what its users could do. */
  private void reportWithoutAdvice(Anomaly anomaly) {
    found.accept(
        new Anomaly(
            anomaly.phenomenon(),
            anomaly.cycleClass(),
            anomaly.verdict(),
            anomaly.confidence(),
            anomaly.database(),
            anomaly.isolation(),
            anomaly.transactions().stream().map(this::withTexts).toList(),
            anomaly.cycle(),
            ""));
  }

  private ObservedTransaction withTexts(ObservedTransaction of) {
    return new ObservedTransaction(
        of.id(),
        of.session(),
        of.level(),
        of.outcome(),
        of.statements().stream()
            .map(
                s ->
                    new ObservedStatement(
                        s.number(), s.kind(), events.textOf(of.id(), s.number()), s.callSite()))
            .toList(),
        of.endedMicros());
  }

  /**
   * What the history contained.
   *
   * @param related whether any two transactions depend on each other
   * @param whole whether the analysis was complete
   */
  record Seen(boolean related, boolean whole) {}

  /** Whether a read depends on another transaction, or another transaction on it. */
  private boolean relates(int transaction, int op) {
    int key = history.key(op);
    int length = history.length(op);
    return length < order.list(key).length()
        || length > 0 && order.elements().writer(order.entry(key, length - 1)) != transaction;
  }

  private void collectSuspects() {
    for (int key = 0; key < history.names().keys(); key++) {
      for (int i = 0; !order.isUnusable(key) && i < order.list(key).length(); i++) {
        int writer = order.elements().writer(order.entry(key, i));
        if (writer == ElementTable.NO_WRITER || history.outcome(writer) == Outcome.ABORTED) {
          suspects.computeIfAbsent(key, k -> new ArrayList<>(1)).add(i);
        }
      }
    }
  }

  private void checkRead(int reader, int op) {
    int key = history.key(op);
    int length = history.length(op);
    List<Integer> places = suspects.get(key);
    if (places != null) {
      places.removeIf(place -> place < length && reportSuspect(reader, op, place, length));
    }
    for (int own = op - 1; own >= history.firstOp(reader); own--) {
      if (history.kind(own) == Kind.APPEND && history.key(own) == key) {
        int place = order.elements().position(order.elements().find(key, history.element(own)));
        if (place < 0 || place >= length + WINDOW) {
          report(Phenomenon.INTERNAL, reader, own, reader, op);
        }
        return;
      }
    }
  }

  private boolean reportSuspect(int reader, int op, int place, int length) {
    int entry = order.entry(history.key(op), place);
    int writer = order.elements().writer(entry);
    if (writer == ElementTable.NO_WRITER) {
      report(Phenomenon.GARBAGE_READ, reader, op, reader, op);
    } else if (place < length - 1) {
      int append = history.firstOp(writer) + order.elements().statement(entry) - 1;
      report(Phenomenon.ABORTED_READ, writer, append, reader, op);
    } else {
      return false; // the last element is the version read, which the analyzer handles
    }
    return true;
  }

  private void report(ListOrder.Found fault) {
    switch (fault.fault()) {
      case APPENDED_TWICE -> reportAppendedTwice(fault);
      case DUPLICATE -> {
        int[] read = longestReadOf(fault.key());
        report(Phenomenon.DUPLICATE_WRITE, read[0], read[1], read[0], read[1]);
      }
      case INCOMPATIBLE -> reportIncompatible(fault);
    }
  }

  private void reportAppendedTwice(ListOrder.Found fault) {
    List<int[]> twice =
        operations(
            fault.key(),
            op -> history.kind(op) == Kind.APPEND && history.element(op) == fault.element());
    report(
        Phenomenon.DUPLICATE_WRITE,
        twice.get(0)[0],
        twice.get(0)[1],
        twice.get(1)[0],
        twice.get(1)[1]);
  }

  private void reportIncompatible(ListOrder.Found fault) {
    int key = fault.key();
    ListHistory.Branch branch = history.branches(key).get(fault.branch());
    int[] one = longestReadOf(key);
    int[] other = longestRead(key, fault.branch(), branch.length());
    int aborted = order.abortedFrom(key, branch, order.common(key, fault.branch()));
    if (aborted < 0) {
      report(Phenomenon.INCOMPATIBLE_ORDER, one[0], one[1], other[0], other[1]);
    } else if (events.isCommitted(other[0])) {
      int entry = order.elements().find(key, branch.element(aborted));
      int writer = order.elements().writer(entry);
      int append = history.firstOp(writer) + order.elements().statement(entry) - 1;
      report(Phenomenon.ABORTED_READ, writer, append, other[0], other[1]);
    }
  }

  /** A read of the whole list of a key. */
  private int[] longestReadOf(int key) {
    int longest = history.branches(key).indexOf(order.list(key));
    return longestRead(key, longest, order.list(key).length());
  }

  private int[] longestRead(int key, int branch, int length) {
    return operations(
            key,
            op ->
                history.kind(op) == Kind.READ
                    && history.branch(op) == branch
                    && history.length(op) == length)
        .get(0);
  }

  /** Two operations on a key with their transactions. Slow: only for the few that are reported. */
  private List<int[]> operations(int key, java.util.function.IntPredicate wanted) {
    List<int[]> some = new ArrayList<>();
    for (int t = 0; t < history.transactions() && some.size() < 2; t++) {
      for (int op = history.firstOp(t); op < history.endOp(t); op++) {
        if (history.key(op) == key && wanted.test(op)) {
          some.add(new int[] {t, op});
        }
      }
    }
    return some;
  }

  private void report(Phenomenon phenomenon, int from, int fromOp, int to, int toOp) {
    int key = history.key(toOp);
    List<ObservedTransaction> transactions = new ArrayList<>();
    if (from == to) {
      transactions.add(observed(from, fromOp, toOp));
    } else {
      transactions.add(observed(from, fromOp, fromOp));
      transactions.add(observed(to, toOp, toOp));
    }
    KeyNames names = history.names();
    boolean proscribed = AdyaLevel.of(level).compareTo(phenomenon.proscribedFrom()) >= 0;
    found.accept(
        new Anomaly(
            phenomenon,
            Optional.empty(),
            proscribed ? Verdict.VIOLATION : Verdict.HAZARD,
            Confidence.CONFIRMED,
            DATABASE,
            level,
            transactions,
            List.of(
                new Dependency(
                    events.id(from),
                    events.id(to),
                    DependencyKind.WR,
                    names.table(key, "list"),
                    names.row(key),
                    fromOp - history.firstOp(from) + 1,
                    toOp - history.firstOp(to) + 1,
                    EdgeEvidence.ITEM)),
            ""));
  }

  private ObservedTransaction observed(int transaction, int op, int other) {
    List<ObservedStatement> statements = new ArrayList<>();
    statements.add(statement(transaction, Math.min(op, other)));
    if (op != other) {
      statements.add(statement(transaction, Math.max(op, other)));
    }
    return new ObservedTransaction(
        events.id(transaction),
        events.session(transaction),
        level,
        Optional.of(history.outcome(transaction)),
        statements);
  }

  private ObservedStatement statement(int transaction, int op) {
    boolean append = history.kind(op) == Kind.APPEND;
    return new ObservedStatement(
        op - history.firstOp(transaction) + 1,
        append ? StatementKind.UPDATE : StatementKind.SELECT,
        events.text(op),
        append ? ":append" : ":r");
  }
}
