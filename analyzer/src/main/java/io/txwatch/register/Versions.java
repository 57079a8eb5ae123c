package io.txwatch.register;

import io.txwatch.register.ReadsFrom.Read;
import java.util.Arrays;
import java.util.List;

/**
 * The versions that committed transactions wrote, and who read them. A version is numbered; that of
 * key k before all writes is {@code count() + k}.
 */
final class Versions {

  private final RegisterHistory history;
  private final ReadsFrom readsFrom;
  private final Ints writes = new Ints();
  private final int[] versionOf;
  private final int[] firstOfTransaction;
  private final int[] readVersions;
  private final int[] firstReadOf;
  private final int[] readsByVersion;
  private final int[] firstReadBy;
  private final int[] readsByReader;

  /**
   * Numbers them.
   *
   * @param reads the reads, of which each has one writer
   */
  Versions(RegisterHistory history, ReadsFrom readsFrom, List<Read> reads) {
    this.history = history;
    this.readsFrom = readsFrom;
    versionOf = new int[history.operations()];
    firstOfTransaction = new int[history.transactions() + 1];
    for (int t = 0; t < history.transactions(); t++) {
      firstOfTransaction[t] = writes.size();
      for (int op = history.firstOp(t); readsFrom.isCommitted(t) && op < history.endOp(t); op++) {
        if (readsFrom.isLastWrite(op)) {
          versionOf[op] = writes.size();
          writes.add(op);
        }
      }
    }
    firstOfTransaction[history.transactions()] = writes.size();
    readVersions = new int[reads.size()];
    int[] readers = new int[reads.size()];
    for (int i = 0; i < readVersions.length; i++) {
      Read read = reads.get(i);
      readers[i] = read.reader();
      readVersions[i] =
          read.write() >= 0 ? versionOf[read.write()] : initial(history.key(read.op()));
    }
    firstReadOf = starts(readVersions, count() + history.keys().keys());
    readsByVersion = grouped(readVersions, firstReadOf);
    firstReadBy = starts(readers, history.transactions());
    readsByReader = grouped(readers, firstReadBy);
  }

  private static int[] starts(int[] groups, int count) {
    int[] starts = new int[count + 1];
    for (int group : groups) {
      starts[group + 1]++;
    }
    for (int i = 0; i < count; i++) {
      starts[i + 1] += starts[i];
    }
    return starts;
  }

  private static int[] grouped(int[] groups, int[] starts) {
    int[] next = Arrays.copyOf(starts, starts.length);
    int[] grouped = new int[groups.length];
    for (int i = 0; i < groups.length; i++) {
      grouped[next[groups[i]]++] = i;
    }
    return grouped;
  }

  /** The number of versions that were written. */
  int count() {
    return writes.size();
  }

  int keys() {
    return history.keys().keys();
  }

  int initial(int key) {
    return count() + key;
  }

  boolean isInitial(int version) {
    return version >= count();
  }

  /** The version of a last write. */
  int version(int write) {
    return versionOf[write];
  }

  /** The write of a version; -1 for an initial one. */
  int write(int version) {
    return isInitial(version) ? -1 : writes.get(version);
  }

  int key(int version) {
    return isInitial(version) ? version - count() : history.key(writes.get(version));
  }

  /** The writer of a version that was written. */
  int writer(int version) {
    return readsFrom.owner(writes.get(version));
  }

  /** The first version of a transaction; its versions are consecutive. */
  int firstVersion(int transaction) {
    return firstOfTransaction[transaction];
  }

  /** The end of a transaction's versions, exclusive. */
  int endVersion(int transaction) {
    return firstOfTransaction[transaction + 1];
  }

  /** The version that a read returned. */
  int readVersion(int read) {
    return readVersions[read];
  }

  /** Where the reads of a version start in {@link #readOf}. */
  int firstReadOf(int version) {
    return firstReadOf[version];
  }

  int endReadOf(int version) {
    return firstReadOf[version + 1];
  }

  int readOf(int place) {
    return readsByVersion[place];
  }

  /** Where the reads of a transaction start in {@link #readBy}. */
  int firstReadBy(int transaction) {
    return firstReadBy[transaction];
  }

  int endReadBy(int transaction) {
    return firstReadBy[transaction + 1];
  }

  int readBy(int place) {
    return readsByReader[place];
  }
}
