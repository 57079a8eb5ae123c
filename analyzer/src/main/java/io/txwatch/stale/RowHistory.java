package io.txwatch.stale;

import io.txwatch.anomaly.ObservedTransaction;
import io.txwatch.history.WriterList;
import io.txwatch.history.WriterToken;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * What is known of one row: which version each group saw last, the writes since, and their order as
 * writers' lists show it.
 *
 * <p>A write is stale if a chain of known writes leads from the version that it replaced down to
 * the version that its group had seen. A link or a write that is not known yet, or was evicted,
 * proves nothing; the write is examined again when more is known.
 */
final class RowHistory {

  /** Further writes of a row evict the oldest. A chain that is longer is not followed. */
  static final int MAX_VERSIONS = 16;

  /** Of one row, a group may have seen different columns in so many versions. */
  private static final int MAX_READS_PER_GROUP = 4;

  /** A version, by the token of its writer. */
  record Token(long transaction, int statement) {

    /** The version before the first watched write. */
    static final Token INITIAL = new Token(0, 0);

    boolean isOfSameTransaction(Token other) {
      return transaction == other.transaction;
    }
  }

  /**
   * A read of a group.
   *
   * @param version the version that was read
   * @param columns the columns of it that the group has neither read again nor written since
   * @param by the transaction, with the statement that read
   * @param endedAt when the transaction ended, on the clock of events
   */
  record Seen(Token version, ColumnSet columns, ObservedTransaction by, long endedAt) {}

  /**
   * A committed write.
   *
   * @param group the group of its transaction; empty if none
   * @param isUpdate false if its columns are not known, or if it is no UPDATE
   * @param written the columns that it assigned
   * @param predicate the columns that its WHERE clause compares
   * @param by the transaction, with the statement that wrote
   * @param seen what its group had seen of the columns that it assigned, and neither its
   *     transaction nor its statement had read again
   */
  record Write(
      Token version,
      String group,
      boolean isUpdate,
      ColumnSet written,
      ColumnSet predicate,
      ObservedTransaction by,
      List<Seen> seen) {

    Write withSeen(List<Seen> others) {
      return new Write(version, group, isUpdate, written, predicate, by, List.copyOf(others));
    }
  }

  /**
   * What overwrote what.
   *
   * @param columns the columns that all three statements used
   */
  record Found(Seen seen, Write other, Write write, ColumnSet columns) {}

  private final boolean isRowTheItem;
  private final Map<String, List<Seen>> seen = new HashMap<>();
  private final Map<Token, Write> writes = new LinkedHashMap<>();

  /** For each version the one that it replaced, as writers' lists show it. */
  private final Map<Token, Token> replaced = new LinkedHashMap<>();

  /** When a group read the row last, on the clock of events. */
  long lastReadAt;

  /**
   * A row that no transaction has read yet.
   *
   * @param isRowTheItem whether two statements that use different columns of it conflict
   */
  RowHistory(boolean isRowTheItem) {
    this.isRowTheItem = isRowTheItem;
  }

  /** Learns the order of versions from a writers' list. */
  void learn(WriterList list) {
    for (int i = list.size() - 1; i > 0; i--) {
      Token upper = token(list, i);
      Token lower = token(list, i - 1);
      if (!upper.equals(lower) && lower.transaction() != 0) {
        put(upper, lower);
      }
    }
    if (list.complete()
        && list.size() > 0
        && list.statement(0) != WriterToken.BY_DBMS
        && list.transaction(0) != 0) {
      put(token(list, 0), Token.INITIAL);
    }
  }

  private void put(Token upper, Token lower) {
    replaced.putIfAbsent(upper, lower);
    evictOldest(replaced, 2 * MAX_VERSIONS);
  }

  /** The version that a list is of; empty if the list does not show it. */
  static Optional<Token> version(WriterList list) {
    return list.size() > 0
        ? Optional.of(token(list, list.size() - 1))
        : list.complete() ? Optional.of(Token.INITIAL) : Optional.empty();
  }

  private static Token token(WriterList list, int i) {
    return new Token(list.transaction(i), list.statement(i));
  }

  private static void evictOldest(Map<Token, ?> map, int most) {
    if (map.size() > most) {
      map.remove(map.keySet().iterator().next());
    }
  }

  /** The groups that have seen a version of it. */
  List<String> groups() {
    return List.copyOf(seen.keySet());
  }

  /** What a group has seen. */
  List<Seen> seenBy(String group) {
    return seen.getOrDefault(group, List.of());
  }

  /**
   * A group read columns, or wrote them: what it had seen of them before counts no more.
   *
   * @param at when, on the clock of events
   */
  void supersede(String group, ColumnSet columns, long at) {
    List<Seen> left = new ArrayList<>();
    for (Seen one : seenBy(group)) {
      boolean isLater = one.endedAt() > at;
      ColumnSet since = isRowTheItem ? ColumnSet.NONE : one.columns().minus(columns);
      ColumnSet rest = isLater ? one.columns() : since;
      if (!rest.isEmpty()) {
        left.add(new Seen(one.version(), rest, one.by(), one.endedAt()));
      }
    }
    if (left.isEmpty()) {
      seen.remove(group);
    } else {
      seen.put(group, left);
    }
  }

  /** A group read a version. */
  void add(String group, Seen read) {
    List<Seen> all = seen.computeIfAbsent(group, g -> new ArrayList<>(1));
    all.add(read);
    if (all.size() > MAX_READS_PER_GROUP) {
      all.remove(0);
    }
  }

  /** What a group has seen counts no more. */
  void forget(String group) {
    seen.remove(group);
  }

  /** Whether the transaction of a version is known to have committed it. */
  boolean isKnown(Token version) {
    return writes.containsKey(version);
  }

  /** The versions that a writers' list names, the oldest first. */
  static List<Token> versions(WriterList list) {
    List<Token> versions = new ArrayList<>();
    for (int i = 0; i < list.size(); i++) {
      versions.add(token(list, i));
    }
    return versions;
  }

  /** A transaction committed a write. */
  void add(Write write) {
    Write same = writes.get(write.version()); // several statements may write under one id
    writes.put(write.version(), same == null ? write : merged(same, write));
    evictOldest(writes, MAX_VERSIONS);
  }

  private static Write merged(Write one, Write next) {
    List<Seen> both = new ArrayList<>(one.seen());
    both.addAll(next.seen());
    return new Write(
        one.version(),
        one.group(),
        one.isUpdate() && next.isUpdate(),
        one.written().plus(next.written()),
        one.predicate().plus(next.predicate()),
        next.by(),
        List.copyOf(both));
  }

  /** Examines the writes of which not everything was known before. */
  void examine(Consumer<Found> out) {
    for (Write write : List.copyOf(writes.values())) {
      if (!write.seen().isEmpty()) {
        List<Seen> open = new ArrayList<>();
        Optional<Found> found = Optional.empty();
        for (Seen read : write.seen()) {
          Optional<Chain> chain = chain(write, read);
          if (chain.isEmpty()) {
            open.add(read);
          } else if (found.isEmpty()) {
            found = chain.get().found(write, read);
          }
        }
        writes.put(write.version(), write.withSeen(found.isEmpty() ? open : List.of()));
        found.ifPresent(out);
      }
    }
  }

  /**
   * The writes of other groups between a read and a write.
   *
   * @param last the last of them that wrote a column that was read and is written; null if none did
   * @param lost these columns
   * @param changed all columns that they wrote
   */
  private record Chain(@Nullable Write last, ColumnSet lost, ColumnSet changed) {

    /** A WHERE clause that compares what others changed was true of their version. */
    Optional<Found> found(Write write, Seen read) {
      return last == null || changed.meets(write.predicate())
          ? Optional.empty()
          : Optional.of(new Found(read, last, write, lost));
    }
  }

  /** What lies between a read and a write; empty if that is not known. */
  private Optional<Chain> chain(Write write, Seen read) {
    ColumnSet open = read.columns();
    ColumnSet changed = ColumnSet.NONE;
    ColumnSet lost = ColumnSet.NONE;
    Write last = null;
    int left = 2 * MAX_VERSIONS;
    Token version = replaced.get(write.version());
    while (version != null && !version.equals(read.version())) {
      Write between = writes.get(version);
      boolean isOwn =
          version.isOfSameTransaction(write.version())
              || between != null && between.by().id() == write.by().id();
      if (left-- == 0 || between == null && !isOwn) {
        return Optional.empty();
      }
      if (between != null && !isOwn && between.group().equals(write.group())) {
        open = isRowTheItem ? ColumnSet.NONE : open.minus(between.written());
      } else if (between != null && !isOwn) {
        changed = changed.plus(between.isUpdate() ? between.written() : ColumnSet.ALL);
        ColumnSet common = isRowTheItem ? open : open.intersection(between.written());
        if (last == null && between.isUpdate() && !common.isEmpty()) {
          last = between;
          lost = common;
        }
      }
      version = replaced.get(version);
    }
    return version == null ? Optional.empty() : Optional.of(new Chain(last, lost, changed));
  }
}
