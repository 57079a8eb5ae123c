package io.txwatch.history;

import com.google.protobuf.WireFormat;
import io.txwatch.history.wire.Entry;
import io.txwatch.history.wire.StatementExecuted;
import io.txwatch.history.wire.TransactionBegan;
import io.txwatch.history.wire.TransactionEnded;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Decodes the most frequent entries directly from their bytes: statements whose texts are already
 * in the dictionary, and the beginnings and ends of transactions. This is several times as fast as
 * protobuf's generated classes and allocates less.
 *
 * <p>Every other entry (of another kind, with an unknown field, a new text or malformed bytes) is
 * left to {@link EventDecoder}, which gives the same result for frequent entries. Not thread-safe.
 */
final class FrequentEntries {

  private static final int VARINT = WireFormat.WIRETYPE_VARINT;
  private static final int FIXED64 = WireFormat.WIRETYPE_FIXED64;
  private static final int BYTES = WireFormat.WIRETYPE_LENGTH_DELIMITED;

  private static final VarHandle LONGS =
      MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.LITTLE_ENDIAN);
  private static final long NOT_ASCII = 0x8080_8080_8080_8080L;

  private final Dictionary texts;
  private byte[] bytes = new byte[0];
  private int at;
  private boolean usual;

  /** Decodes with a dictionary that the caller fills. */
  FrequentEntries(Dictionary texts) {
    this.texts = texts;
  }

  /** Decodes an entry; returns null if it must be left to {@link EventDecoder}. */
  @Nullable Event decode(byte[] encoded, int from, int length) {
    bytes = encoded;
    at = from;
    usual = true;
    int to = from + length;
    int tag = (int) varint(to);
    int size = (int) varint(to);
    if (!usual || at + size != to) {
      return null;
    }
    return switch (tag) {
      case Entry.STATEMENT_EXECUTED_FIELD_NUMBER << 3 | BYTES -> statement(to);
      case Entry.TRANSACTION_BEGAN_FIELD_NUMBER << 3 | BYTES -> began(to);
      case Entry.TRANSACTION_ENDED_FIELD_NUMBER << 3 | BYTES -> ended(to);
      default -> null;
    };
  }

  private @Nullable Event statement(int to) {
    long session = 0;
    long transaction = 0;
    int statement = 0;
    int kind = 0;
    int sql = 0;
    int callSite = 0;
    int columns = 0;
    boolean writesSeen = false;
    // The same list class as EventDecoder's: two classes make loops over rows megamorphic.
    List<RowAccess> rows = new ArrayList<>(1);
    while (usual && at < to) {
      switch ((int) varint(to)) {
        case StatementExecuted.SESSION_FIELD_NUMBER << 3 | FIXED64 -> session = fixed64(to);
        case StatementExecuted.TRANSACTION_FIELD_NUMBER << 3 | FIXED64 -> transaction = fixed64(to);
        case StatementExecuted.STATEMENT_FIELD_NUMBER << 3 | VARINT -> statement = (int) varint(to);
        case StatementExecuted.KIND_FIELD_NUMBER << 3 | VARINT -> kind = (int) varint(to);
        case StatementExecuted.SQL_FIELD_NUMBER << 3 | VARINT -> sql = (int) varint(to);
        case StatementExecuted.CALL_SITE_FIELD_NUMBER << 3 | VARINT -> callSite = (int) varint(to);
        case StatementExecuted.WRITES_SEEN_FIELD_NUMBER << 3 | VARINT ->
            writesSeen = varint(to) != 0;
        case StatementExecuted.ROWS_FIELD_NUMBER << 3 | BYTES -> {
          RowAccess row = row(end(to));
          if (row == null) {
            return null;
          }
          rows.add(row);
        }
        case StatementExecuted.COLUMNS_FIELD_NUMBER << 3 | VARINT -> columns = (int) varint(to);
        default -> usual = false;
      }
    }
    StatementKind ours = WireNames.STATEMENT_KIND.ofNumber(kind);
    String sqlText = text(sql);
    String callSiteText = text(callSite);
    String columnsText = text(columns);
    if (!usual
        || at != to
        || ours == null
        || sqlText == null
        || callSiteText == null
        || columnsText == null) {
      return null;
    }
    return new Event.StatementExecuted(
        session,
        transaction,
        statement,
        ours,
        sqlText,
        callSiteText,
        rows,
        writesSeen,
        null,
        List.of(),
        columnsText);
  }

  private @Nullable RowAccess row(int to) {
    int access = 0;
    int table = 0;
    long row = 0;
    String writers = "";
    boolean cut = false;
    boolean uncertain = false;
    while (usual && at < to) {
      switch ((int) varint(to)) {
        case io.txwatch.history.wire.RowAccess.ACCESS_FIELD_NUMBER << 3 | VARINT ->
            access = (int) varint(to);
        case io.txwatch.history.wire.RowAccess.TABLE_FIELD_NUMBER << 3 | VARINT ->
            table = (int) varint(to);
        case io.txwatch.history.wire.RowAccess.ROW_FIELD_NUMBER << 3 | VARINT -> row = varint(to);
        case io.txwatch.history.wire.RowAccess.WRITERS_FIELD_NUMBER << 3 | BYTES ->
            writers = ascii(end(to));
        case io.txwatch.history.wire.RowAccess.CUT_FIELD_NUMBER << 3 | VARINT ->
            cut = varint(to) != 0;
        case io.txwatch.history.wire.RowAccess.UNCERTAIN_FIELD_NUMBER << 3 | VARINT ->
            uncertain = varint(to) != 0;
        default -> usual = false;
      }
    }
    Access ours = WireNames.ACCESS.ofNumber(access);
    String tableText = text(table);
    if (!usual
        || at != to
        || ours == null
        || tableText == null
        || writers.length() % WriterToken.LENGTH != 0) {
      return null;
    }
    WriterList list =
        writers.isEmpty() && !cut ? WriterList.INITIAL : new WriterList(writers, !cut);
    return new RowAccess(ours, tableText, row, list, !uncertain);
  }

  private @Nullable Event began(int to) {
    long session = 0;
    long transaction = 0;
    int level = 0;
    long micros = 0;
    int name = 0;
    int share = 0;
    String traceId = "";
    while (usual && at < to) {
      switch ((int) varint(to)) {
        case TransactionBegan.SESSION_FIELD_NUMBER << 3 | FIXED64 -> session = fixed64(to);
        case TransactionBegan.TRANSACTION_FIELD_NUMBER << 3 | FIXED64 -> transaction = fixed64(to);
        case TransactionBegan.LEVEL_FIELD_NUMBER << 3 | VARINT -> level = (int) varint(to);
        case TransactionBegan.MICROS_FIELD_NUMBER << 3 | VARINT -> micros = varint(to);
        case TransactionBegan.NAME_FIELD_NUMBER << 3 | VARINT -> name = (int) varint(to);
        case TransactionBegan.SHARE_FIELD_NUMBER << 3 | VARINT -> share = (int) varint(to);
        case TransactionBegan.TRACE_ID_FIELD_NUMBER << 3 | BYTES -> traceId = ascii(end(to));
        default -> usual = false;
      }
    }
    IsolationLevel ours = WireNames.LEVEL.ofNumber(level);
    String nameText = text(name);
    return usual && at == to && ours != null && nameText != null
        ? new Event.TransactionBegan(
            session, transaction, ours, micros, nameText, traceId, EventDecoder.share(share))
        : null;
  }

  private @Nullable Event ended(int to) {
    long session = 0;
    long transaction = 0;
    int outcome = 0;
    long micros = 0;
    int events = 0;
    while (usual && at < to) {
      switch ((int) varint(to)) {
        case TransactionEnded.SESSION_FIELD_NUMBER << 3 | FIXED64 -> session = fixed64(to);
        case TransactionEnded.TRANSACTION_FIELD_NUMBER << 3 | FIXED64 -> transaction = fixed64(to);
        case TransactionEnded.OUTCOME_FIELD_NUMBER << 3 | VARINT -> outcome = (int) varint(to);
        case TransactionEnded.MICROS_FIELD_NUMBER << 3 | VARINT -> micros = varint(to);
        case TransactionEnded.EVENTS_FIELD_NUMBER << 3 | VARINT -> events = (int) varint(to);
        default -> usual = false;
      }
    }
    Outcome ours = WireNames.OUTCOME.ofNumber(outcome);
    return usual && at == to && ours != null
        ? new Event.TransactionEnded(session, transaction, ours, micros, events)
        : null;
  }

  private @Nullable String text(int number) {
    return number == 0 ? "" : texts.get(number);
  }

  /** Reads a length and returns the offset at which its bytes end. */
  private int end(int to) {
    long length = varint(to);
    if (length < 0 || length > to - at) {
      usual = false;
      return at;
    }
    return at + (int) length;
  }

  /** Reads ASCII characters up to {@code to}; clears {@code usual} if one is not ASCII. */
  private String ascii(int to) {
    long all = 0;
    int i = at;
    for (; i <= to - Long.BYTES; i += Long.BYTES) {
      all |= (long) LONGS.get(bytes, i);
    }
    for (; i < to; i++) {
      all |= bytes[i];
    }
    usual &= (all & NOT_ASCII) == 0;
    String text = new String(bytes, at, to - at, StandardCharsets.ISO_8859_1);
    at = to;
    return text;
  }

  private long fixed64(int to) {
    if (to - at < Long.BYTES) {
      usual = false;
      return 0;
    }
    at += Long.BYTES;
    return (long) LONGS.get(bytes, at - Long.BYTES);
  }

  private long varint(int to) {
    long value = 0;
    for (int shift = 0; shift < Long.SIZE && at < to; shift += 7) {
      byte next = bytes[at++];
      value |= (long) (next & 0x7f) << shift;
      if (next >= 0) {
        return value;
      }
    }
    usual = false;
    return 0;
  }
}
