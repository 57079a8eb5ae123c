package io.txwatch.dependency;

import io.txwatch.dependency.Version.Fate;
import io.txwatch.dependency.Version.Read;
import java.util.List;

/**
 * Infers the additional dependencies if some transactions that are active, or of unknown outcome,
 * had committed as they are. By item only: dependencies by predicate, or by a write that may have
 * made no version ({@link KeyedWrites}), are not inferred.
 *
 * <p>Meanwhile the fates of their versions are set as if they had committed, so that the chains are
 * walked as in {@link VersionChains}. Nothing else changes, and the fates are restored at the end.
 * A dependency may be emitted more than once.
 */
final class HypotheticalDependencies {

  private final RowDependencies dependencies;

  private HypotheticalDependencies(DependencyListener out) {
    this.dependencies = new RowDependencies(new Certain(out), (version, next) -> {}, false);
  }

  /** Emits the dependencies if these transactions had committed. */
  static void infer(List<Transaction> supposed, DependencyListener out) {
    HypotheticalDependencies infer = new HypotheticalDependencies(out);
    try {
      supposed.forEach(HypotheticalDependencies::commit);
      supposed.forEach(out::committed);
      supposed.forEach(infer::infer);
      supposed.forEach(transaction -> transaction.reportInternalReads(out));
    } finally {
      supposed.forEach(HypotheticalDependencies::reopen);
    }
  }

  /** Whether a transaction may be assumed to commit: everything that it did was observed. */
  static boolean isPossible(Transaction transaction) {
    return transaction.observed
        && transaction.isBeginObserved()
        && !transaction.lossy
        && !transaction.eventsMayBeLost
        && !transaction.discarded
        && !transaction.readsCount;
  }

  private static void commit(Transaction transaction) {
    transaction.readsCount = true;
    for (Version write : transaction.writes) {
      if (write.fate == Fate.OPEN && write.certain) {
        write.resolveColumns();
        write.fate = write.isUndone() ? Fate.VANISHED : Fate.SURVIVED;
      }
    }
  }

  private static void reopen(Transaction transaction) {
    transaction.readsCount = false;
    for (Version write : transaction.writes) {
      write.fate = Fate.OPEN;
    }
  }

  private void infer(Transaction transaction) {
    for (Version write : transaction.writes) {
      if (write.fate == Fate.SURVIVED && !write.row.broken) {
        dependencies.settled(write);
      }
    }
    for (Read read : transaction.reads) {
      if (read.evidence == EdgeEvidence.ITEM && read.returned() && !read.version.row.broken) {
        dependencies.settled(read);
      }
    }
  }

  /** Passes on what is certain, if the transactions commit. */
  private record Certain(DependencyListener out) implements DependencyListener {
    @Override
    public void committed(Transaction transaction) {}

    @Override
    public void dependency(Edge edge) {
      if (edge.evidence() == EdgeEvidence.ITEM) {
        out.dependency(edge);
      }
    }

    @Override
    public void wrongRead(WrongRead why, Edge read) {
      if (why != WrongRead.GARBAGE) {
        out.wrongRead(why, read);
      }
    }

    @Override
    public void forkedWrite(
        Transaction first, Transaction second, Row row, int firstStatement, int secondStatement) {}
  }
}
