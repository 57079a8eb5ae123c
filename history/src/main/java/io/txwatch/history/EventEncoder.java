package io.txwatch.history;

import com.google.protobuf.WireFormat;
import io.txwatch.history.wire.Entry;
import io.txwatch.history.wire.Header;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * Encodes events as entries of {@code history.proto}, with the dictionary of one segment of a file.
 * Not thread-safe.
 *
 * <p>Frequent entries (statements, beginnings and ends of transactions) are encoded directly, byte
 * for byte as protobuf's generated classes would; all others by these classes. {@link
 * FrequentEntries} is the inverse.
 *
 * <p>A returned buffer belongs to the encoder and is valid until the next call.
 */
final class EventEncoder {

  static final String MAGIC = "txwatch-history";
  static final int VERSION = 1;

  private static final int MAX_TEXTS = 1 << 16;
  private static final int MAX_CHARACTERS = 1 << 24;

  private static final int VARINT = WireFormat.WIRETYPE_VARINT;
  private static final int FIXED64 = WireFormat.WIRETYPE_FIXED64;
  private static final int BYTES = WireFormat.WIRETYPE_LENGTH_DELIMITED;

  private final Map<String, Integer> texts = new HashMap<>();
  private long characters;

  /**
   * The texts that the entry adds to the dictionary; {@code firstAdded} is the number of the first.
   */
  private final List<String> added = new ArrayList<>();

  private int firstAdded;

  /** The numbers of the tables of a statement's rows and version sets. */
  private int[] tables = new int[8];

  private final ReverseProtobufBuffer out = new ReverseProtobufBuffer();

  /** Encodes the entry that starts a segment and clears the dictionary. */
  ReverseProtobufBuffer header(String node, long startMicros, boolean containsValues) {
    texts.clear();
    characters = 0;
    return encoded(
        Entry.newBuilder()
            .setHeader(
                Header.newBuilder()
                    .setMagic(MAGIC)
                    .setVersion(VERSION)
                    .setNode(node)
                    .setStartMicros(startMicros)
                    .setContainsValues(containsValues)));
  }

  /** Encodes the entry that ends a file of {@code events} events. */
  ReverseProtobufBuffer closed(long events) {
    return encoded(
        Entry.newBuilder()
            .setClosed(io.txwatch.history.wire.Closed.newBuilder().setEvents(events)));
  }

  /** Encodes the origin of the events that follow. */
  ReverseProtobufBuffer origin(Origin origin) {
    return encoded(
        Entry.newBuilder()
            .setOrigin(
                io.txwatch.history.wire.Origin.newBuilder()
                    .setClient(origin.client())
                    .setChunk(origin.chunk())
                    .setIndex(origin.index())
                    .setEvents(origin.events())));
  }

  private ReverseProtobufBuffer encoded(Entry.Builder entry) {
    out.clear();
    out.write(entry.build().toByteArray());
    return out;
  }

  /** True if the dictionary is full and a new segment should start. */
  boolean isFull() {
    return texts.size() >= MAX_TEXTS || characters >= MAX_CHARACTERS;
  }

  ReverseProtobufBuffer encode(Event event) {
    added.clear();
    if (event instanceof Event.StatementExecuted e) {
      statement(e);
    } else if (event instanceof Event.TransactionBegan e) {
      began(e);
    } else if (event instanceof Event.TransactionEnded e) {
      ended(e);
    } else {
      encoded(rare(event));
    }
    for (int i = added.size() - 1; i >= 0; i--) {
      out.textField(Entry.TEXTS_FIELD_NUMBER << 3 | BYTES, added.get(i));
    }
    if (!added.isEmpty()) {
      out.varintField(Entry.FIRST_TEXT_FIELD_NUMBER << 3 | VARINT, firstAdded);
    }
    return out;
  }

  private Entry.Builder rare(Event event) {
    Entry.Builder entry = Entry.newBuilder();
    if (event instanceof Event.StatementsUndone e) {
      entry.setStatementsUndone(
          io.txwatch.history.wire.StatementsUndone.newBuilder()
              .setSession(e.session())
              .setTransaction(e.transaction())
              .setFirstStatement(e.firstStatement())
              .setLastStatement(e.lastStatement()));
    } else if (event instanceof Event.TransactionIdentified e) {
      entry.setTransactionIdentified(
          io.txwatch.history.wire.TransactionIdentified.newBuilder()
              .setSession(e.session())
              .setTransaction(e.transaction())
              .setIdByDbms(e.idByDbms()));
    } else if (event instanceof Event.RowNamed e) {
      entry.setRowNamed(
          io.txwatch.history.wire.RowNamed.newBuilder()
              .setSession(e.session())
              .setTable(text(e.table()))
              .setRow(e.row())
              .setKey(e.key()));
    } else if (event instanceof Event.SessionOpened e) {
      entry.setSessionOpened(
          io.txwatch.history.wire.SessionOpened.newBuilder()
              .setSession(e.session())
              .setName(text(e.name()))
              .setProduct(e.database().product().name())
              .setVersion(e.database().product().version())
              .putAllSettings(e.database().settings())
              .setPlace(text(e.database().place()))
              .setRun(text(e.database().run()))
              .setCluster(text(e.database().cluster().id()))
              .setStandby(e.database().cluster().isStandby()));
    } else if (event instanceof Event.SessionClosed e) {
      entry.setSessionClosed(
          io.txwatch.history.wire.SessionClosed.newBuilder().setSession(e.session()));
    } else if (event instanceof Event.RowsShed e) {
      entry.setRowsShed(
          io.txwatch.history.wire.RowsShed.newBuilder()
              .setSession(e.session())
              .setShare(e.share().steps())
              .setStatements(e.statements())
              .setTransactions(e.transactions()));
    } else if (event instanceof Event.ValuesObserved e) {
      entry.setValuesObserved(ValueEntries.toWire(e, this::text));
    } else if (event instanceof Event.EndTimed e) {
      entry.setEndTimed(ValueEntries.toWire(e));
    } else if (event instanceof Event.Deadlocked e) {
      entry.setDeadlocked(ValueEntries.toWire(e));
    } else if (event instanceof Event.Waited e) {
      entry.setWaited(ValueEntries.toWire(e));
    } else if (event instanceof Event.CommitFailed e) {
      entry.setCommitFailed(ValueEntries.toWire(e));
    } else if (event instanceof Event.SessionIdentified e) {
      entry.setSessionIdentified(ValueEntries.toWire(e));
    } else if (event instanceof Event.WritesStated e) {
      entry.setWritesStated(ValueEntries.toWire(e));
    } else if (event instanceof Event.Changed e) {
      entry.setChanged(ValueEntries.toWire(e, this::text));
    } else if (event instanceof Event.ValuesRecorded e) {
      entry.setValuesRecorded(ValueEntries.toWire(e, this::text));
    } else if (event instanceof Event.ChangesRead e) {
      entry.setChangesRead(ValueEntries.toWire(e));
    } else if (event instanceof Event.Gap e) {
      entry.setGap(
          io.txwatch.history.wire.Gap.newBuilder()
              .setSession(e.session())
              .setTransaction(e.transaction())
              .setReason(WireNames.GAP_REASON.toWire(e.reason()))
              .setDetail(text(e.detail()))
              .setCount(e.count()));
    }
    return entry;
  }

  private void began(Event.TransactionBegan e) {
    int name = text(e.name());
    out.clear();
    if (!e.traceId().isEmpty()) {
      out.textField(
          io.txwatch.history.wire.TransactionBegan.TRACE_ID_FIELD_NUMBER << 3 | BYTES, e.traceId());
    }
    out.varintField(
        io.txwatch.history.wire.TransactionBegan.SHARE_FIELD_NUMBER << 3 | VARINT,
        e.share().steps());
    if (name != 0) {
      out.varintField(
          io.txwatch.history.wire.TransactionBegan.NAME_FIELD_NUMBER << 3 | VARINT, name);
    }
    out.varintField(
        io.txwatch.history.wire.TransactionBegan.MICROS_FIELD_NUMBER << 3 | VARINT, e.micros());
    out.varintField(
        io.txwatch.history.wire.TransactionBegan.LEVEL_FIELD_NUMBER << 3 | VARINT,
        WireNames.LEVEL.numberOf(e.level()));
    out.fixed64Field(
        io.txwatch.history.wire.TransactionBegan.TRANSACTION_FIELD_NUMBER << 3 | FIXED64,
        e.transaction());
    out.fixed64Field(
        io.txwatch.history.wire.TransactionBegan.SESSION_FIELD_NUMBER << 3 | FIXED64, e.session());
    out.lengthField(Entry.TRANSACTION_BEGAN_FIELD_NUMBER << 3 | BYTES, 0);
  }

  private void ended(Event.TransactionEnded e) {
    out.clear();
    out.varintField(
        io.txwatch.history.wire.TransactionEnded.EVENTS_FIELD_NUMBER << 3 | VARINT,
        Integer.toUnsignedLong(e.events()));
    out.varintField(
        io.txwatch.history.wire.TransactionEnded.MICROS_FIELD_NUMBER << 3 | VARINT, e.micros());
    out.varintField(
        io.txwatch.history.wire.TransactionEnded.OUTCOME_FIELD_NUMBER << 3 | VARINT,
        WireNames.OUTCOME.numberOf(e.outcome()));
    out.fixed64Field(
        io.txwatch.history.wire.TransactionEnded.TRANSACTION_FIELD_NUMBER << 3 | FIXED64,
        e.transaction());
    out.fixed64Field(
        io.txwatch.history.wire.TransactionEnded.SESSION_FIELD_NUMBER << 3 | FIXED64, e.session());
    out.lengthField(Entry.TRANSACTION_ENDED_FIELD_NUMBER << 3 | BYTES, 0);
  }

  private void statement(Event.StatementExecuted e) {
    List<RowAccess> rows = e.rows();
    List<VersionSet> sets = e.versionSets();
    // Texts are numbered in field order, before anything is written.
    int sql = text(e.sql());
    int callSite = text(e.callSite());
    if (tables.length < rows.size() + sets.size()) {
      tables = new int[2 * (rows.size() + sets.size())];
    }
    for (int i = 0; i < rows.size(); i++) {
      tables[i] = text(rows.get(i).table());
    }
    for (int i = 0; i < sets.size(); i++) {
      tables[rows.size() + i] = text(sets.get(i).table());
    }
    int columns = text(e.columns());
    List<KeyValues> keys = e.keyValues();
    int[] names = new int[2 * keys.size()];
    for (int i = 0; i < keys.size(); i++) {
      names[2 * i] = text(keys.get(i).table());
      names[2 * i + 1] = text(keys.get(i).column());
    }
    out.clear();
    for (int i = keys.size() - 1; i >= 0; i--) {
      keyValues(keys.get(i), names[2 * i], names[2 * i + 1]);
    }
    out.varintField(
        io.txwatch.history.wire.StatementExecuted.COLUMNS_FIELD_NUMBER << 3 | VARINT, columns);
    for (int i = sets.size() - 1; i >= 0; i--) {
      set(sets.get(i), tables[rows.size() + i]);
    }
    String sqlState = e.sqlState();
    if (sqlState != null) {
      out.textField(
          io.txwatch.history.wire.StatementExecuted.SQL_STATE_FIELD_NUMBER << 3 | BYTES, sqlState);
    }
    out.varintField(
        io.txwatch.history.wire.StatementExecuted.WRITES_SEEN_FIELD_NUMBER << 3 | VARINT,
        e.writesSeen() ? 1 : 0);
    for (int i = rows.size() - 1; i >= 0; i--) {
      row(rows.get(i), tables[i]);
    }
    out.varintField(
        io.txwatch.history.wire.StatementExecuted.CALL_SITE_FIELD_NUMBER << 3 | VARINT, callSite);
    out.varintField(io.txwatch.history.wire.StatementExecuted.SQL_FIELD_NUMBER << 3 | VARINT, sql);
    out.varintField(
        io.txwatch.history.wire.StatementExecuted.KIND_FIELD_NUMBER << 3 | VARINT,
        WireNames.STATEMENT_KIND.numberOf(e.kind()));
    out.varintField(
        io.txwatch.history.wire.StatementExecuted.STATEMENT_FIELD_NUMBER << 3 | VARINT,
        Integer.toUnsignedLong(e.statement()));
    out.fixed64Field(
        io.txwatch.history.wire.StatementExecuted.TRANSACTION_FIELD_NUMBER << 3 | FIXED64,
        e.transaction());
    out.fixed64Field(
        io.txwatch.history.wire.StatementExecuted.SESSION_FIELD_NUMBER << 3 | FIXED64, e.session());
    out.lengthField(Entry.STATEMENT_EXECUTED_FIELD_NUMBER << 3 | BYTES, 0);
  }

  private void row(RowAccess row, int table) {
    int before = out.size();
    out.varintField(
        io.txwatch.history.wire.RowAccess.UNCERTAIN_FIELD_NUMBER << 3 | VARINT,
        row.certain() ? 0 : 1);
    out.varintField(
        io.txwatch.history.wire.RowAccess.CUT_FIELD_NUMBER << 3 | VARINT,
        row.writers().complete() ? 0 : 1);
    if (!row.writers().tokens().isEmpty()) {
      out.textField(
          io.txwatch.history.wire.RowAccess.WRITERS_FIELD_NUMBER << 3 | BYTES,
          row.writers().tokens());
    }
    out.varintField(io.txwatch.history.wire.RowAccess.ROW_FIELD_NUMBER << 3 | VARINT, row.row());
    out.varintField(io.txwatch.history.wire.RowAccess.TABLE_FIELD_NUMBER << 3 | VARINT, table);
    out.varintField(
        io.txwatch.history.wire.RowAccess.ACCESS_FIELD_NUMBER << 3 | VARINT,
        WireNames.ACCESS.numberOf(row.access()));
    out.lengthField(
        io.txwatch.history.wire.StatementExecuted.ROWS_FIELD_NUMBER << 3 | BYTES, before);
  }

  private void set(VersionSet set, int table) {
    int before = out.size();
    out.varintField(
        io.txwatch.history.wire.VersionSet.PLACES_FIELD_NUMBER << 3 | VARINT, set.places() ? 1 : 0);
    out.varintField(
        io.txwatch.history.wire.VersionSet.UNCERTAIN_FIELD_NUMBER << 3 | VARINT,
        set.certain() ? 0 : 1);
    if (!set.writers().isEmpty()) {
      out.textField(
          io.txwatch.history.wire.VersionSet.WRITERS_FIELD_NUMBER << 3 | BYTES, set.writers());
    }
    long[] rows = set.rows();
    if (rows.length > 0) {
      int beforeRows = out.size();
      for (int i = rows.length - 1; i >= 0; i--) {
        out.fixed64(rows[i]);
      }
      out.lengthField(
          io.txwatch.history.wire.VersionSet.ROWS_FIELD_NUMBER << 3 | BYTES, beforeRows);
    }
    out.fixed64Field(
        io.txwatch.history.wire.VersionSet.PREDICATE_FIELD_NUMBER << 3 | FIXED64, set.predicate());
    out.varintField(io.txwatch.history.wire.VersionSet.TABLE_FIELD_NUMBER << 3 | VARINT, table);
    out.lengthField(
        io.txwatch.history.wire.StatementExecuted.VERSION_SETS_FIELD_NUMBER << 3 | BYTES, before);
  }

  private void keyValues(KeyValues values, int table, int column) {
    int before = out.size();
    List<Long> hashes = values.hashes();
    for (int i = hashes.size() - 1; i >= 0; i--) {
      out.fixed64(hashes.get(i));
    }
    out.lengthField(io.txwatch.history.wire.KeyValues.HASHES_FIELD_NUMBER << 3 | BYTES, before);
    out.varintField(io.txwatch.history.wire.KeyValues.COLUMN_FIELD_NUMBER << 3 | VARINT, column);
    out.varintField(io.txwatch.history.wire.KeyValues.TABLE_FIELD_NUMBER << 3 | VARINT, table);
    out.lengthField(
        io.txwatch.history.wire.StatementExecuted.KEY_VALUES_FIELD_NUMBER << 3 | BYTES, before);
  }

  /** Returns the text's number, adding the text to the entry if it is new; 0 for the empty text. */
  private int text(String text) {
    if (text.isEmpty()) {
      return 0;
    }
    Integer known = texts.get(text);
    if (known != null) {
      return known;
    }
    int number = texts.size() + 1;
    texts.put(text, number);
    characters += text.length();
    if (added.isEmpty()) {
      firstAdded = number;
    }
    added.add(text);
    return number;
  }
}
