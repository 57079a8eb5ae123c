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
 */
final class HypotheticalDependencies {

  private final DependencyListener out;

  private HypotheticalDependencies(DependencyListener out) {
    this.out = out;
  }

  /** Emits the dependencies if these transactions had committed. */
  static void infer(List<Transaction> supposed, DependencyListener out) {
    HypotheticalDependencies infer = new HypotheticalDependencies(out);
    try {
      supposed.forEach(HypotheticalDependencies::commit);
      supposed.forEach(out::committed);
      supposed.forEach(infer::infer);
    } finally {
      supposed.forEach(HypotheticalDependencies::reopen);
    }
  }

  /** Whether a transaction may be assumed to commit: everything that it did was observed. */
  static boolean isPossible(Transaction transaction) {
    return transaction.observed
        && transaction.levelKnown()
        && !transaction.lossy
        && !transaction.eventsMayBeLost
        && !transaction.discarded
        && !transaction.readsCount;
  }

  private static void commit(Transaction transaction) {
    transaction.readsCount = true;
    for (Version write : transaction.writes) {
      if (write.fate == Fate.OPEN && write.certain) {
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
        inferBelow(transaction, write);
        inferAbove(transaction, write);
      }
    }
    for (Read read : transaction.reads) {
      if (read.evidence == EdgeEvidence.ITEM && !read.version.row.broken) {
        inferFromRead(read);
      }
    }
    transaction.reportInternalReads(out);
  }

  /** Edges from the writers and readers of earlier versions. */
  private void inferBelow(Transaction writer, Version write) {
    for (Version version = write.previous; version != null; version = version.previous) {
      if (version.writer != writer) {
        inferFromReaders(version, writer, write);
        if (version.fate == Fate.SURVIVED && version.writer != null) {
          edge(
              version.writer, writer, DependencyKind.WW, write, version.statement, write.statement);
        }
      }
      if (version.fate != Fate.VANISHED) {
        return;
      }
    }
  }

  /** Edges from the readers of an earlier version. */
  private void inferFromReaders(Version earlier, Transaction writer, Version write) {
    for (Read read = earlier.readers; read != null; read = read.next) {
      if (read.reader.readsCount && read.evidence == EdgeEvidence.ITEM && read.reader != writer) {
        edge(read.reader, writer, DependencyKind.RW, write, read.statement, write.statement);
      }
    }
  }

  /** Edges to the writers of later versions and to its readers. */
  private void inferAbove(Transaction writer, Version write) {
    write.forEachSurvivor(
        next -> {
          if (next.writer != null && next.writer != writer && !next.isDoubtful()) {
            edge(writer, next.writer, DependencyKind.WW, write, write.statement, next.statement);
          }
        });
    for (Read read = write.readers; read != null; read = read.next) {
      if (read.reader.readsCount && read.evidence == EdgeEvidence.ITEM) {
        inferFromRead(read);
      }
    }
  }

  private void inferFromRead(Read read) {
    Version version = read.version;
    Transaction writer = version.writer;
    Transaction reader = read.reader;
    if (writer == reader) { // whose id was not yet known when it read
      return;
    }
    if (writer != null && version.fate == Fate.SURVIVED) {
      edge(writer, reader, DependencyKind.WR, version, version.statement, read.statement);
    } else if (writer != null && version.fate == Fate.VANISHED) {
      reportWrongRead(WrongRead.ABORTED, writer, read);
    }
    version.forEachSurvivor(
        next -> {
          if (next.writer == null || next.writer == reader || next.isDoubtful()) {
            return;
          }
          if (next.writer != writer) {
            edge(reader, next.writer, DependencyKind.RW, version, read.statement, next.statement);
          } else if (version.fate == Fate.SURVIVED && !version.hasIdByDbms()) {
            reportWrongRead(WrongRead.INTERMEDIATE, writer, read);
          }
        });
  }

  private void reportWrongRead(WrongRead why, Transaction writer, Read read) {
    Version version = read.version;
    out.wrongRead(
        why, Edge.ofRead(writer, read.reader, version.row, version.statement, read.statement));
  }

  private void edge(
      Transaction from,
      Transaction to,
      DependencyKind kind,
      Version version,
      int fromStatement,
      int toStatement) {
    out.dependency(
        new Edge(from, to, kind, version.row, fromStatement, toStatement, EdgeEvidence.ITEM));
  }
}
