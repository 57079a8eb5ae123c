package io.txwatch.anomaly;

import io.txwatch.dependency.DependencyKind;
import io.txwatch.dependency.Edge;
import io.txwatch.dependency.Transaction;
import io.txwatch.dependency.WrongRead;
import io.txwatch.history.IsolationLevel;
import io.txwatch.history.StatementKind;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.SortedSet;
import java.util.TreeSet;

/**
 * An anomaly that was found and not judged yet.
 *
 * @param phenomenon its name
 * @param cycleClass the class of its cycle; empty if it is not a cycle
 * @param edges the cycle, or the one dependency that is wrong
 */
public record Finding(Phenomenon phenomenon, Optional<CycleClass> cycleClass, List<Edge> edges) {

  static Finding of(WrongRead why, Edge read) {
    Phenomenon phenomenon =
        switch (why) {
          case ABORTED -> Phenomenon.ABORTED_READ;
          case INTERMEDIATE -> Phenomenon.INTERMEDIATE_READ;
          case INTERNAL -> Phenomenon.INTERNAL;
          case GARBAGE -> Phenomenon.GARBAGE_READ;
        };
    return new Finding(phenomenon, Optional.empty(), List.of(read));
  }

  /**
   * The transactions in the order of the edges; if it is not a cycle, the writer and then the
   * reader.
   */
  public List<Transaction> transactions() {
    if (cycleClass.isPresent()) {
      return edges.stream().map(Edge::from).toList();
    }
    Edge edge = edges.get(0);
    return edge.from() == edge.to() ? List.of(edge.from()) : List.of(edge.from(), edge.to());
  }

  /**
   * The phenomenon that a level must prevent to prevent this finding. For an inversion, that of the
   * cycle with the order taken as a dependency; inversions are reported only if the order was
   * requested. What a transaction reads of others in its own version of a row, it wrote over: a
   * level that lets it do that shows it what it wrote over.
   */
  public Phenomenon judgedAs() {
    if (phenomenon != Phenomenon.TRANSACTION_INVERSION) {
      return edges.stream().anyMatch(Finding::isReadInOwnVersion) ? judgedAsWrite() : phenomenon;
    }
    return switch (cycleClass.orElse(CycleClass.G2)) {
      case G0 -> Phenomenon.DIRTY_WRITE;
      case G1C -> Phenomenon.CIRCULAR_INFORMATION_FLOW;
      case G_SINGLE -> Phenomenon.G_SINGLE;
      case G_NONADJACENT -> Phenomenon.G_NONADJACENT;
      case G2_ITEM -> Phenomenon.G2_ITEM;
      case G2 -> Phenomenon.G2;
    };
  }

  private Phenomenon judgedAsWrite() {
    return switch (phenomenon) {
      case NON_REPEATABLE_READ -> Phenomenon.LOST_UPDATE;
      case READ_SKEW, FRACTURED_READ -> Phenomenon.READ_WRITE_SKEW;
      case PHANTOM -> Phenomenon.G_SINGLE;
      default -> phenomenon;
    };
  }

  private static boolean isReadInOwnVersion(Edge edge) {
    return switch (edge.kind()) {
      case WR -> edge.to().readsInOwnVersion(edge.row(), edge.toStatement());
      case RW -> edge.from().readsInOwnVersion(edge.row(), edge.fromStatement());
      default -> false;
    };
  }

  /** Whether one of its dependencies is only possible. */
  public boolean possible() {
    return edges.stream().anyMatch(edge -> edge.evidence().possible());
  }

  /** Whether a read in it missed a row that its predicate would have matched. */
  public boolean missesByPredicate() {
    return edges.stream().anyMatch(Edge::missesByPredicate);
  }

  /**
   * The level it is judged at: the reader's where only the reader is affected, otherwise the
   * weakest of its transactions. A promise to one transaction does not cover another with less
   * (Adya 1999, §4.5, mixing of levels), and where the level of one is unknown, nothing is
   * promised.
   */
  public IsolationLevel level() {
    return affectedReader()
        .map(Transaction::level)
        .orElseGet(
            () ->
                transactions().stream()
                    .map(Transaction::level)
                    .min(Comparator.naturalOrder())
                    .orElse(IsolationLevel.UNKNOWN));
  }

  /** The reader that alone is affected; empty if others are. */
  public Optional<Transaction> affectedReader() {
    return switch (phenomenon.form()) {
      case WRONG_READ -> Optional.of(edges.get(0).to());
      case CYCLE_OF_READER -> Optional.of(edges.get(0).from());
      case NO_CYCLE, CYCLE -> Optional.empty();
    };
  }

  /**
   * What its transactions read of rows before they wrote them, where that is part of the problem:
   * not where a reader alone is affected.
   */
  public List<ContextRead> context(Transaction transaction) {
    if (affectedReader().isPresent()) {
      return List.of();
    }
    List<ContextRead> context = new ArrayList<>();
    for (Edge edge : edges) {
      boolean isOverwritten = edge.kind() == DependencyKind.WW || edge.kind() == DependencyKind.WR;
      if (edge.from() == transaction && isOverwritten) {
        addContext(edge, transaction, edge.fromStatement(), context);
      }
      boolean overwrites = edge.kind() == DependencyKind.WW || edge.kind() == DependencyKind.RW;
      if (edge.to() == transaction && overwrites) {
        addContext(edge, transaction, edge.toStatement(), context);
      }
    }
    context.sort(Comparator.comparingInt(read -> read.statement().number()));
    return context;
  }

  private void addContext(
      Edge edge, Transaction transaction, int write, List<ContextRead> context) {
    transaction
        .readBefore(edge.row(), write)
        .filter(statement -> !statements(transaction).contains(statement.number()))
        .map(
            statement ->
                new ContextRead(
                    ObservedStatement.of(statement, transaction),
                    write,
                    edge.row().table(),
                    edge.row().id(),
                    edge.dependency().key()))
        .filter(read -> context.stream().noneMatch(read::isSameRead))
        .ifPresent(context::add);
  }

  /** The numbers of a transaction's statements that its dependencies connect, in order. */
  public SortedSet<Integer> statements(Transaction transaction) {
    SortedSet<Integer> numbers = new TreeSet<>();
    for (Edge edge : edges) {
      if (edge.from() == transaction) {
        numbers.add(edge.fromStatement());
      }
      if (edge.to() == transaction) {
        numbers.add(edge.toStatement());
      }
    }
    return numbers;
  }

  /** Whether every read in it is a plain SELECT, which reads the snapshot where there is one. */
  public boolean plainReadsOnly() {
    return edges.stream()
        .allMatch(
            edge ->
                switch (edge.kind()) {
                  case RW -> isPlain(edge, edge.from(), edge.fromStatement());
                  case WR -> isPlain(edge, edge.to(), edge.toStatement());
                  default -> true;
                });
  }

  private static boolean isPlain(Edge edge, Transaction reader, int statement) {
    return kind(reader, statement) == StatementKind.SELECT
        && !reader.readsInOwnVersion(edge.row(), statement);
  }

  /** Whether one statement of the reader returned both the old and the new version. */
  public boolean withinOneStatement() {
    Edge out = edges.get(0);
    Edge in = edges.get(edges.size() - 1);
    return edges.size() > 1
        && out.kind() == DependencyKind.RW
        && in.kind() == DependencyKind.WR
        && out.fromStatement() == in.toStatement();
  }

  private static StatementKind kind(Transaction transaction, int number) {
    return transaction
        .statement(number)
        .map(Transaction.Statement::kind)
        .orElse(StatementKind.OTHER);
  }
}
