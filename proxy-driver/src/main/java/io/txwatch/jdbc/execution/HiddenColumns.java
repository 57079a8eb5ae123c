package io.txwatch.jdbc.execution;

import io.txwatch.capture.Observation;
import io.txwatch.capture.SessionTracker;
import io.txwatch.capture.WriterTexts;
import io.txwatch.history.Access;
import io.txwatch.history.GapReason;
import io.txwatch.history.WriterToken;
import io.txwatch.jdbc.plan.CachedPlan;
import io.txwatch.jdbc.plan.KeyedRowHasher;
import io.txwatch.jdbc.plan.PinnedValues;
import io.txwatch.jdbc.plan.RowNameReader;
import io.txwatch.jdbc.read.StatementReads;
import io.txwatch.jdbc.session.ConnectionState;
import io.txwatch.plan.Carried;
import io.txwatch.plan.KeyedRow;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What the columns that were appended to a result show of the rows behind it: of each row its id
 * and its writers; of a row that stands for several, the list of these; and what the statement has
 * read besides, which every row carries.
 */
final class HiddenColumns {

  /** The limit of rows of one result whose keys are recorded, so that no scan fills the queue. */
  private static final int MAX_NAMED_ROWS = 64;

  private final ConnectionState connection;
  private final CachedPlan cached;
  private final Observation observation;
  private final WriterTexts texts;
  private final @Nullable StatementReads reads;
  private final long firstRow;
  private final long key;

  private PinnedValues pinned = PinnedValues.NONE;
  private int pinnedAt;

  private int named;

  /** False once a key could not be read, or enough of them are recorded. */
  private boolean isNamed = true;

  /** True once the places of the columns are checked. */
  private boolean isChecked;

  /** True if the next version written bears the id of the transaction as a whole. */
  private boolean underTransactionId;

  /**
   * The hidden columns of one execution's result.
   *
   * @param reads what is read besides; null if nothing is
   * @param firstRow the id of the first row that it gives an id; 0 if it gives none
   * @param key the bits of the key by which it finds a row; 0 if there is none
   * @param underTransactionId true if the versions that it writes bear the id of its transaction as
   *     a whole
   */
  HiddenColumns(
      ConnectionState connection,
      CachedPlan cached,
      Observation observation,
      @Nullable StatementReads reads,
      long firstRow,
      long key,
      boolean underTransactionId) {
    this.connection = connection;
    this.cached = cached;
    this.observation = observation;
    this.texts = connection.writerTexts();
    this.reads = reads;
    this.firstRow = firstRow;
    this.key = key;
    this.underTransactionId = underTransactionId;
  }

  /** The parameters that are values of keys, and how often they had changed at the execution. */
  void pinned(PinnedValues values, int changes) {
    this.pinned = values;
    this.pinnedAt = changes;
  }

  /**
   * Notes the row that a result stands on.
   *
   * @param first the driver's index of the first appended column
   */
  void note(ResultSet result, int first) throws SQLException {
    List<String> tables = cached.plan().appended();
    if (reads != null && cached.carries() && !reads.hasReturnedCarried()) {
      reads.carriedReturned();
      carried(result, first + cached.ownColumns());
    }
    if (cached.aggregates()) {
      aggregated(result, first, tables);
      return;
    }
    for (int i = 0; i < tables.size(); i++) {
      long row = result.getLong(first + 2 * i);
      if (!result.wasNull()) {
        String text = result.getString(first + 2 * i + 1);
        int at = text == null || !texts.areIds() ? -1 : text.indexOf('@');
        if (at >= 0) {
          replaced(tables.get(i), row, text, at);
          name(result, i, texts.row(row));
          continue;
        }
        boolean isDeleted = text != null && texts.areIds() && text.startsWith("-");
        String writers = text == null ? "" : texts.tokens(text, isDeleted ? 1 : 0, text.length());
        if (isDeleted && writers != null) {
          observation.row(Access.DELETE, tables.get(i), texts.row(row), writers);
          continue;
        }
        if (writers == null) {
          observation.notSeen(GapReason.FAULT, tables.get(i));
          continue;
        }
        row(tables.get(i), row, writers);
        name(result, i, texts.row(row));
      }
    }
  }

  private void row(String table, long row, String writers) {
    Access access = cached.access(row, writers, observation.token(), firstRow);
    observation.row(access, table, texts.row(row), writers);
    if (access == Access.INSERT || access == Access.UPDATE) {
      wrote(writers);
    }
    connection.earlier().rowSeen(cached.kind(), observation.transaction());
    byKey(row, writers);
  }

  private void wrote(String writers) {
    if (underTransactionId) {
      underTransactionId = false;
      if (connection.tracker().open() == observation.transaction()) {
        int last = writers.length() - WriterToken.LENGTH;
        connection.tracker().identified(WriterToken.transaction(writers, last));
      }
    }
  }

  /** A row has come back that the statement may have found by a key. */
  private void byKey(long row, String writers) {
    KeyedRowHasher by = cached.key();
    if (key == 0 || by == null || by.role() != KeyedRow.Role.READS) {
      return;
    }
    if (!observation.isAlone()) {
      connection.knownRows().read(observation.transaction(), key, by, row, writers);
    }
  }

  /** Records the key of a row that has come back, if it is not recorded yet. */
  private void name(ResultSet result, int table, long row) {
    RowNameReader by = cached.named(table);
    if (by == null || !isNamed || pinned.changes() != pinnedAt) {
      return;
    }
    try {
      if (!isChecked) {
        isChecked = true;
        isNamed = by.fits(result);
      }
      long bits = isNamed ? by.bits(result, pinned) : 0;
      SessionTracker tracker = connection.tracker();
      if (bits != 0 && tracker.isNewKey(by.table(), row, bits)) {
        isNamed = ++named < MAX_NAMED_ROWS;
        String key = by.text(result, pinned, connection.database().redacts());
        tracker.named(by.table(), row, key);
      }
    } catch (SQLException | RuntimeException e) { // a name is for display alone
      isNamed = false;
    }
  }

  /**
   * Notes a row that a write has moved, or given another key.
   *
   * @param text begins with the row's id before, up to {@code at}
   */
  private void replaced(String table, long row, String text, int at) {
    boolean hasKey = text.charAt(0) == '!';
    long before = Long.parseLong(text, hasKey ? 1 : 0, at, 10);
    int tilde = text.indexOf('~', at);
    String old = texts.tokens(text, at + 1, tilde);
    String own = texts.tokens(text, tilde + 1, text.length());
    if (old == null || own == null) {
      observation.notSeen(GapReason.FAULT, table);
    } else if (hasKey && before != row) {
      observation.row(Access.DELETE, table, before, old);
      observation.row(Access.INSERT, table, row, own);
      wrote(own);
    } else {
      if (!hasKey) {
        texts.moved(before, row);
      }
      row(table, row, old + own);
    }
  }

  private void aggregated(ResultSet result, int first, List<String> tables) throws SQLException {
    for (int i = 0; i < tables.size(); i++) {
      String text = result.getString(first + i);
      String table = tables.get(i);
      if (text != null
          && !AggregatedVersions.read(
              text, texts, (row, writers) -> rowBehind(table, row, writers))) {
        observation.notSeen(GapReason.TOO_LARGE, table);
        connection.outgrown(cached);
      }
    }
  }

  private void rowBehind(String table, long row, String writers) {
    observation.row(Access.READ, table, texts.row(row), writers);
    connection.earlier().rowSeen(cached.kind(), observation.transaction());
  }

  private void carried(ResultSet result, int first) throws SQLException {
    List<Carried.Read> reads = cached.plan().carried().reads();
    for (int i = 0; i < reads.size(); i++) {
      Carried.Read read = reads.get(i);
      String text = result.getString(first + i);
      boolean all =
          text != null
              && CarriedVersions.read(
                  text,
                  read.tables().size(),
                  texts,
                  (table, row, writers) ->
                      observation.row(
                          Access.READ,
                          read.tables().get(table),
                          texts.row(row),
                          writers,
                          read.exact()));
      if (!all) {
        observation.notSeen(GapReason.TOO_LARGE, read.tables().get(0));
        connection.outgrown(cached);
      }
    }
    connection.earlier().rowSeen(cached.kind(), observation.transaction());
  }
}
