package io.txwatch.format;

import io.txwatch.dependency.ColumnBits;
import io.txwatch.dependency.ScopedRow;
import io.txwatch.history.Access;
import io.txwatch.history.Event;
import io.txwatch.history.RowAccess;
import io.txwatch.history.StatementKind;
import io.txwatch.history.WriterList;
import io.txwatch.history.WriterToken;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The versions of every row of a history, each with its previous version, learned from writers'
 * lists: the input of {@link ElleExport}.
 */
final class VersionTrees {

  private record TableKey(String place, String table) {}

  static final class Version {
    final ScopedRow row;

    /** 0 for the initial version. */
    final long transaction;

    /** The statement that wrote it; 0 if it is unknown. */
    final int statement;

    /** The statement behind whose reads it was written, in the order of its transaction. */
    int place;

    /** Null for the initial version, and where unknown. */
    @Nullable Version previous;

    final List<Version> next = new ArrayList<>(1);

    /** Its number among the versions of its row, from 1; 0 for the initial version. */
    final int element;

    /** The columns of its table. */
    final ColumnGroups columns;

    /** The columns that it wrote, as {@link ColumnBits}; 0 while that is not known. */
    private long written;

    /** The columns of the version before it that its statements read. */
    private long read;

    /** The version before a deletion, if both are named by one id of the DBMS; else null. */
    private @Nullable Version ofSameId;

    private @Nullable History history;

    Version(ScopedRow row, ColumnGroups columns, long transaction, int statement, int element) {
      this.row = row;
      this.columns = columns;
      this.transaction = transaction;
      this.statement = statement;
      this.place = statement == 0 ? Integer.MAX_VALUE : statement;
      this.element = element;
    }

    boolean isInitial() {
      return transaction == 0;
    }

    /**
     * The oldest known version below: the initial one, or another. Valid once everything is
     * learned.
     */
    Version root() {
      return history().root;
    }

    private void add(ColumnBits.Used used) {
      written |= used.written() == 0 ? ColumnBits.ALL : used.written();
      read |= used.read() & ~used.unsure();
    }

    /** One of these UPDATEs made it: sure is what all of them wrote. */
    private void addCommon(Set<String> texts) {
      written = ColumnBits.ALL;
      for (String text : texts) {
        long used = columns.used(text).written();
        written &= used == 0 ? ColumnBits.ALL : used;
      }
    }

    /** Whether it wrote a group of columns. Valid once everything is learned. */
    boolean writes(int group) {
      return !isInitial() && columns.has(group, written);
    }

    /** Whether its statements read a group of columns that it did not write. */
    boolean onlyReads(int group) {
      return columns.has(group, read) && !writes(group);
    }

    /**
     * The newest version up to this one that wrote a group of columns; null if none did. Valid once
     * everything is learned.
     */
    @Nullable Version newest(int group) {
      return history().newest[group];
    }

    /**
     * The number of versions that wrote a group of columns, from the root up to this one, without
     * the first; -1 if none did. Valid once everything is learned.
     */
    int depth(int group) {
      return history().counts[group] - 1;
    }

    private History history() {
      List<Version> unknown = new ArrayList<>();
      Version version = this;
      while (version != null && version.history == null) {
        unknown.add(version);
        version = version.previous;
      }
      for (int i = unknown.size() - 1; i >= 0; i--) {
        Version one = unknown.get(i);
        one.history = new History(one);
      }
      return Objects.requireNonNull(history);
    }
  }

  /** The versions of a row up to one of them, by group of columns. */
  private static final class History {
    final Version root;
    final @Nullable Version[] newest;
    final int[] counts;

    History(Version of) {
      History below = of.previous == null ? null : of.previous.history;
      int groups = of.columns.size();
      root = below == null ? of : below.root;
      newest = below == null ? new @Nullable Version[groups] : below.newest.clone();
      counts = below == null ? new int[groups] : below.counts.clone();
      for (int group = 0; group < groups; group++) {
        if (of.writes(group)) {
          newest[group] = of;
          counts[group]++;
        }
      }
    }
  }

  private static final class RowTree {
    final Version initial;
    final Map<String, Version> byToken = new HashMap<>();

    RowTree(ScopedRow row, ColumnGroups columns) {
      initial = new Version(row, columns, 0, 0, 0);
    }
  }

  private final WriterIds ids;
  private final Map<ScopedRow, RowTree> rows = new HashMap<>();
  private final Map<TableKey, ColumnGroups> tables = new HashMap<>();

  /** The columns of each UPDATE, by its token. */
  private final Map<String, String> updates = new HashMap<>();

  /** The columns of the UPDATEs that may have written rows that were not seen, by transaction. */
  private final Map<Long, Set<String>> unseenUpdates = new HashMap<>();

  private final Map<Long, List<Version>> writes = new HashMap<>();

  VersionTrees(WriterIds ids) {
    this.ids = ids;
  }

  /** Learns from the writers' lists of a statement. */
  void learn(String place, Event.StatementExecuted statement) {
    if (statement.kind() == StatementKind.UPDATE && !statement.columns().isEmpty()) {
      updates.put(
          WriterToken.of(statement.transaction(), statement.statement()), statement.columns());
      if (!statement.writesSeen() || statement.rows().stream().noneMatch(VersionTrees::isWrite)) {
        unseenUpdates
            .computeIfAbsent(statement.transaction(), id -> new HashSet<>(2))
            .add(statement.columns());
      }
    }
    for (RowAccess access : statement.rows()) {
      if (statement.succeeded() && access.certain()) {
        learnColumns(version(place, statement, access), statement, access.access());
      }
    }
  }

  private static boolean isWrite(RowAccess access) {
    return access.access().isWrite() && access.access() != Access.TARGET;
  }

  private static void learnColumns(
      @Nullable Version version, Event.StatementExecuted statement, Access access) {
    if (version == null || version.transaction != statement.transaction()) {
      return;
    }
    if (access == Access.UPDATE) {
      version.add(version.columns.used(statement.columns()));
    } else if (access == Access.INSERT || access == Access.DELETE) {
      version.written = ColumnBits.ALL;
    }
  }

  /** Completes what was learned: no more follows. */
  void complete() {
    for (List<Version> versions : writes.values()) {
      for (Version version : versions) {
        if (version.written == 0 && version.statement == WriterToken.BY_DBMS) {
          version.addCommon(unseenUpdates.getOrDefault(version.transaction, Set.of()));
        } else if (version.written == 0) {
          String text = updates.get(WriterToken.of(version.transaction, version.statement));
          version.add(version.columns.used(text == null ? "" : text));
        }
        if (version.statement == WriterToken.MAX_STATEMENT) { // of several statements
          version.written = ColumnBits.ALL;
        }
      }
    }
    for (List<Version> versions : writes.values()) {
      for (Version version : versions) {
        Version sameId = version.ofSameId;
        if (sameId != null) {
          version.written &= ~sameId.written;
        }
        version.columns.separate(version.written);
      }
    }
    updates.clear();
    unseenUpdates.clear();
  }

  /** The version that an access refers to; for a deletion, the end of the row. Null if unknown. */
  @Nullable Version version(String place, Event.StatementExecuted statement, RowAccess access) {
    RowTree row =
        rows.computeIfAbsent(
            new ScopedRow(place, access.table(), access.row()),
            key -> new RowTree(key, columns(place, access.table())));
    Version read = learn(row, access.writers());
    boolean creates = access.access() == Access.INSERT || access.access() == Access.UPDATE;
    for (int i = 0; i < access.writers().size(); i++) {
      Version version = version(row, access.writers(), i);
      if (version != null && version.transaction == statement.transaction()) {
        int before = creates && version == read ? 0 : 1;
        version.place = Math.min(version.place, statement.statement() - before);
      }
    }
    if (access.access() != Access.DELETE) {
      return read;
    }
    Version deletion = version(row, WriterToken.of(statement.transaction(), statement.statement()));
    if (read != null) {
      setPrevious(deletion, read);
    }
    deletion.ofSameId = isOneWith(read, statement) ? read : null;
    return deletion;
  }

  /** The columns of a table. */
  ColumnGroups columns(String place, String table) {
    return tables.computeIfAbsent(new TableKey(place, table), key -> new ColumnGroups(key.table()));
  }

  /**
   * Whether a deletion is no later write of what its transaction had written to the row, since that
   * is named by an id of the DBMS. That id stands for all its writes to the row, of which a DELETE
   * need not be the last: who reads a version of that id may read the final one. Only other columns
   * of the row are written by the deletion itself.
   */
  private boolean isOneWith(@Nullable Version read, Event.StatementExecuted deletion) {
    return read != null
        && read.transaction == deletion.transaction()
        && read.statement == WriterToken.BY_DBMS
        && !ids.isUndone(deletion.transaction(), deletion.statement());
  }

  /** The writes of a transaction, as far as its own statements or later lists show. */
  List<Version> writes(long transaction) {
    return writes.getOrDefault(transaction, List.of());
  }

  /** The transactions that wrote anything. */
  Iterable<Long> writers() {
    return writes.keySet();
  }

  private @Nullable Version learn(RowTree row, WriterList list) {
    if (list.size() == 0) {
      return list.complete() ? row.initial : null;
    }
    Version below = list.complete() ? row.initial : null;
    for (int i = 0; i < list.size(); i++) {
      Version version = version(row, list, i);
      if (version == null) {
        below = null;
        continue;
      }
      if (below != null && below != version) {
        setPrevious(version, below);
      }
      below = version;
    }
    return below;
  }

  private static void setPrevious(Version upper, Version lower) {
    if (upper.previous != null || upper == lower) {
      return;
    }
    boolean circular = false;
    for (Version v = lower; v != null && !upper.next.isEmpty(); v = v.previous) {
      circular |= v == upper;
    }
    if (!circular) {
      upper.previous = lower;
      lower.next.add(upper);
    }
  }

  /** The version of a token of a list; null if its writer is unknown. */
  private @Nullable Version version(RowTree row, WriterList list, int i) {
    int at = i * WriterToken.LENGTH;
    String token = list.tokens().substring(at, at + WriterToken.LENGTH);
    if (!WriterIds.isById(list, i)) {
      return version(row, token);
    }
    long id = list.transaction(i);
    if (id == 0) {
      return row.initial;
    } else if (ids.isContested(id)) {
      return null;
    }
    WriterIds.Writer writer = ids.writer(id);
    if (writer == null) {
      return version(row, token);
    }
    // All that a transaction wrote to a row and did not undo is one version, under whichever ids.
    boolean undone = ids.isUndone(writer.transaction(), writer.statement());
    String key = undone ? token : WriterToken.of(writer.transaction(), WriterToken.BY_DBMS);
    return row.byToken.computeIfAbsent(
        key,
        k -> added(row, writer.transaction(), undone ? writer.statement() : WriterToken.BY_DBMS));
  }

  private Version version(RowTree row, String token) {
    return row.byToken.computeIfAbsent(
        token, t -> added(row, WriterToken.transaction(t, 0), WriterToken.statement(t, 0)));
  }

  private Version added(RowTree row, long transaction, int statement) {
    Version version =
        new Version(
            row.initial.row, row.initial.columns, transaction, statement, row.byToken.size() + 1);
    writes.computeIfAbsent(transaction, id -> new ArrayList<>(2)).add(version);
    return version;
  }
}
