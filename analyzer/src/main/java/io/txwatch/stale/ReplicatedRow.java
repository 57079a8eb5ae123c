package io.txwatch.stale;

import io.txwatch.anomaly.ObservedTransaction;
import io.txwatch.history.WriterList;
import io.txwatch.history.WriterToken;
import io.txwatch.stale.RowHistory.Token;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;

/**
 * What is known of one row of a primary: who wrote its versions, in which order, and which version
 * each trace used last.
 */
final class ReplicatedRow {

  /** More of either evict the oldest. A longer chain of versions is not followed. */
  private static final int MAX_ENTRIES = 16;

  /** PostgreSQL's own ids of transactions are smaller. */
  private static final int FIRST_ID = 3;

  /**
   * A committed write.
   *
   * @param replaced the version before it; empty if it is not known
   * @param columns the columns that it wrote
   */
  record Write(ObservedTransaction by, Optional<Token> replaced, ColumnSet columns) {}

  /**
   * What a trace did with the row last.
   *
   * @param version the version that it wrote or read, or deleted
   * @param isDeleted whether it deleted that version
   * @param isWrite whether it wrote the version or deleted it
   * @param columns the columns that it read; all if it wrote the row
   * @param by the transaction, with the statement
   * @param node the process in which it ran
   * @param endedAt when the transaction ended, on the clock of events
   */
  record Used(
      Token version,
      boolean isDeleted,
      boolean isWrite,
      ColumnSet columns,
      ObservedTransaction by,
      long node,
      long endedAt) {}

  private final Map<Token, Write> writes = new LinkedHashMap<>();
  private final Map<String, Used> used = new LinkedHashMap<>();

  /**
   * The version that a list is of, by a name that is the same on the primary and its standbys;
   * empty if the list does not show it.
   */
  static Optional<Token> version(WriterList list) {
    return list.size() > 0
        ? token(list, list.size() - 1)
        : list.complete() ? Optional.of(Token.INITIAL) : Optional.empty();
  }

  /** The version that the one of a list replaced; empty if the list does not show it. */
  static Optional<Token> replaced(WriterList list) {
    return list.size() > 1
        ? token(list, list.size() - 2)
        : list.size() == 1 && list.complete() && list.statement(0) != WriterToken.BY_DBMS
            ? Optional.of(Token.INITIAL)
            : Optional.empty();
  }

  /** Of an id by the DBMS, the upper bits identify the server. */
  private static Optional<Token> token(WriterList list, int i) {
    if (list.statement(i) != WriterToken.BY_DBMS) {
      return Optional.of(new Token(list.transaction(i), list.statement(i)));
    }
    long id = list.transaction(i) & 0xffff_ffffL;
    return id < FIRST_ID ? Optional.empty() : Optional.of(new Token(id, WriterToken.BY_DBMS));
  }

  /** A transaction committed a write. */
  void add(Token version, Write write) {
    Write same = writes.get(version); // several statements may write under one id
    if (same == null) {
      put(writes, version, write);
    } else {
      boolean isFirst = write.replaced().filter(version::equals).isPresent();
      writes.put(
          version,
          new Write(
              write.by(),
              isFirst ? same.replaced() : write.replaced(),
              same.columns().plus(write.columns())));
    }
  }

  /** A trace used the row. */
  void use(String trace, Used last) {
    used.remove(trace);
    put(used, trace, last);
  }

  private static <K, V> void put(Map<K, V> map, K key, V value) {
    map.put(key, value);
    if (map.size() > MAX_ENTRIES) {
      map.remove(map.keySet().iterator().next());
    }
  }

  /** What a trace did with it last. */
  Optional<Used> usedBy(String trace) {
    return Optional.ofNullable(used.get(trace));
  }

  /** Who wrote a version; empty if that was not observed. */
  Optional<ObservedTransaction> writer(Token version) {
    return Optional.ofNullable(writes.get(version)).map(Write::by);
  }

  /**
   * The columns that were written between two versions; empty if the second one is not known to be
   * the older one.
   */
  Optional<ColumnSet> columnsBetween(Token newer, Token older) {
    ColumnSet columns = ColumnSet.NONE;
    Token version = newer;
    for (int i = 0; i < MAX_ENTRIES; i++) {
      Write write = writes.get(version);
      if (write == null || write.replaced().isEmpty()) {
        return Optional.empty();
      }
      columns = columns.plus(write.columns());
      version = write.replaced().get();
      if (version.equals(older)) {
        return Optional.of(columns);
      }
    }
    return Optional.empty();
  }
}
