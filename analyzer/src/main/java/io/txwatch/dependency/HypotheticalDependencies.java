package io.txwatch.dependency;

import io.txwatch.dependency.Version.Fate;
import io.txwatch.dependency.Version.Read;
import java.util.List;

/**
 * The dependencies that would be there besides if some transactions that have not ended, or of
 * which nobody knows how they ended, had committed as they are. By item only: what rests on
 * predicates, or on a write that may have made no version ({@link KeyedWrites}), is not supposed.
 *
 * <p>While it tells them the fates of their versions are what they would be, so that the walks
 * along the chains are the ones of {@link VersionChains}; nothing else is changed, and at the end
 * nothing is.
 */
final class HypotheticalDependencies {

  private final DependencyListener out;

  private HypotheticalDependencies(DependencyListener out) {
    this.out = out;
  }

  /** Tells {@code out} what would be there if these had committed. */
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

  /** Whether a transaction may be supposed to have committed: all that it did was seen. */
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
        write.fate = transaction.isUndone(write.statement) ? Fate.VANISHED : Fate.SURVIVED;
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

  /** Whose write it stands on, and who read what it replaced. */
  private void inferBelow(Transaction writer, Version write) {
    for (Version version = write.previous; version != null; version = version.previous) {
      if (version.writer != writer) {
        for (Read read = version.readers; read != null; read = read.next) {
          if (read.reader.readsCount
              && read.evidence == EdgeEvidence.ITEM
              && read.reader != writer) {
            edge(read.reader, writer, DependencyKind.RW, write, read.statement, write.statement);
          }
        }
      }
      if (version.fate == Fate.SURVIVED && version.writer != null && version.writer != writer) {
        edge(version.writer, writer, DependencyKind.WW, write, version.statement, write.statement);
      }
      if (version.fate != Fate.VANISHED) {
        return;
      }
    }
  }

  /** Who wrote on it, and who read it. */
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
          } else if (version.fate == Fate.SURVIVED) {
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
