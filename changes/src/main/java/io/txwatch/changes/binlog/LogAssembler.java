package io.txwatch.changes.binlog;

import io.airlift.compress.zstd.ZstdDecompressor;
import io.txwatch.changes.ChangeGap;
import io.txwatch.changes.ChangeGap.Reason;
import io.txwatch.changes.ChangedRow;
import io.txwatch.changes.ChangedTransaction;
import io.txwatch.changes.LogPosition;
import io.txwatch.changes.SchemaChange;
import io.txwatch.changes.UnknownValue;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.BitSet;
import java.util.HashMap;
import java.util.HexFormat;
import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.zip.DataFormatException;
import java.util.zip.Inflater;
import org.jspecify.annotations.Nullable;

/**
 * Makes transactions from the events of a log. Used by one thread. A transaction is held back, and
 * all that follows it, until the {@link TableDescriptions} with which it was decoded are certain.
 * If they do not become so, its rows are dropped and reported as a gap. The log is usually less
 * than a millisecond behind, so that this costs one wait per table and version of it.
 */
final class LogAssembler {

  /** What the assembler needs of the server, and what it gives. */
  interface Surroundings extends TableDescriptions.TableSource {

    void transaction(ChangedTransaction transaction);

    void gap(ChangeGap gap);

    void schemaChange(SchemaChange change);

    void position(LogPosition position, boolean caughtUp);
  }

  private static final int MAX_HELD_ROWS = 100_000;
  private static final int MAX_PREPARED_ROWS = 200_000;
  private static final int MAX_TABLE_MAPS = 4096;
  private static final int MAX_UNCOMPRESSED_BYTES = 256 << 20;
  private static final long MICROS_PER_SECOND = 1_000_000;

  private static final int STATEMENT_END = 1;
  private static final int MARIADB_STANDALONE = 1;
  private static final int MARIADB_GROUP_COMMIT = 2;
  private static final int MARIADB_PREPARED_XA = 64;
  private static final int MARIADB_COMPLETED_XA = 128;

  private static final Set<String> ROW_STATEMENTS =
      Set.of("INSERT", "UPDATE", "DELETE", "REPLACE", "LOAD", "CALL", "WITH", "DO", "SELECT");
  private static final Set<String> SCHEMA_STATEMENTS =
      Set.of("CREATE", "ALTER", "DROP", "RENAME", "TRUNCATE");
  private static final Pattern NOT_OF_TABLES =
      Pattern.compile(
          "\\w+\\s+(OR\\s+REPLACE\\s+)?(/\\*!\\d*\\s*)?(TEMPORARY|USER|ROLE|SERVER|EVENT|RESOURCE)\\b.*",
          Pattern.CASE_INSENSITIVE | Pattern.DOTALL);
  private static final Pattern LEADING_COMMENTS =
      Pattern.compile("^(?:\\s+|/\\*(?!!).*?\\*/|--\\s[^\\n]*\\n|#[^\\n]*\\n)+", Pattern.DOTALL);
  private static final Pattern FIRST_WORD = Pattern.compile("[A-Za-z]+");

  private final Surroundings surroundings;
  private final String server;

  private String file = "";
  private LogPosition complete = new LogPosition("", 0);

  private final Map<Long, TableMap> tableMaps = new HashMap<>();
  private final TableDescriptions descriptions;
  private final HeldChanges held;

  private final Map<String, TransactionBuilder> prepared = new LinkedHashMap<>();

  private @Nullable TransactionBuilder open;
  private boolean isGroupOpen;
  private String gtid = "";
  private long commitMicros = -1;
  private long gtidConnection = -1;

  /** The server's number; changes that it has received bear that of the server they come from. */
  private long serverId = -1;

  /** Where the event ends that contains those that are being read. */
  private long payloadEnd;

  LogAssembler(Surroundings surroundings, String server) {
    this.surroundings = surroundings;
    this.server = server;
    this.descriptions = new TableDescriptions(surroundings);
    this.held = new HeldChanges(surroundings, descriptions);
  }

  /** Where to begin again after a lost connection: behind the last whole transaction. */
  LogPosition complete() {
    return complete;
  }

  /** Begins at a position that does not follow what was read before. */
  void restart(LogPosition from) {
    dropUncertain("the log was left before the table's description was certain");
    prepared.clear();
    descriptions.clear();
    reconnect();
    complete = from;
    file = from.file();
  }

  /** Begins again at {@link #complete()}. */
  void reconnect() {
    open = null;
    isGroupOpen = false;
    tableMaps.clear();
    file = complete.file();
  }

  /** Reads one event. What it does not understand becomes a gap. */
  void event(LogEvent event) {
    try {
      read(event);
    } catch (MalformedEvent | IllegalArgumentException | IndexOutOfBoundsException e) {
      addGap(
          new ChangeGap(
              Reason.NOT_UNDERSTOOD, "", "", "event " + event.type() + " at " + file + ": " + e));
    }
    passed(event);
  }

  private void passed(LogEvent event) {
    if (event.type() == LogEvent.ROTATE || isGroupOpen || event.next() == 0) {
      return;
    }
    boolean isHeartbeat = event.type() == LogEvent.HEARTBEAT;
    LogPosition here = new LogPosition(file, event.next());
    if (here.compareTo(complete) > 0) {
      complete = here;
    }
    release();
    surroundings.position(held.passed(complete), isHeartbeat && held.isEmpty());
  }

  private void release() {
    descriptions.passed(complete);
    held.release(complete);
  }

  private void deliver(Object change) {
    held.add(change, complete);
    if (held.rows() > MAX_HELD_ROWS && !descriptions.uncertain().isEmpty()) {
      dropUncertain("too many rows until the table's description is certain");
    }
  }

  /** Drops what was decoded with descriptions that have not become certain. */
  private void dropUncertain(String why) {
    Set<String> uncertain = descriptions.uncertain();
    prepared.values().forEach(each -> each.dropRows(uncertain, why));
    if (open != null) {
      open.dropRows(uncertain, why);
    }
    descriptions.removeUncertain();
    held.releaseWithout(uncertain, why);
  }

  private void addGap(ChangeGap gap) {
    if (open != null) {
      open.addGap(gap);
    } else {
      deliver(gap);
    }
  }

  private void read(LogEvent event) {
    EventBytes in = new EventBytes(event.body());
    switch (event.type()) {
      case LogEvent.ROTATE -> rotate(in);
      case LogEvent.QUERY -> query(event, in, false);
      case LogEvent.MARIADB_QUERY_COMPRESSED -> query(event, in, true);
      case LogEvent.XID -> commit(event);
      case LogEvent.GTID, LogEvent.ANONYMOUS_GTID -> mysqlGtid(event, in);
      case LogEvent.GTID_TAGGED -> beginGroup("", -1);
      case LogEvent.MARIADB_GTID -> mariadbGtid(event, in);
      case LogEvent.TABLE_MAP -> tableMap(event.body());
      case LogEvent.ROWS_QUERY -> {
        in.skip(1);
        builder().text = new String(in.rest(), StandardCharsets.UTF_8);
      }
      case LogEvent.MARIADB_ANNOTATE ->
          builder().text = new String(in.rest(), StandardCharsets.UTF_8);
      case LogEvent.XA_PREPARE -> xaPrepare(event, in);
      case LogEvent.TRANSACTION_PAYLOAD -> {
        payloadEnd = event.next();
        payload(in);
      }
      case LogEvent.WRITE_ROWS_V1 -> rows(ChangedRow.Kind.INSERT, in, false, false);
      case LogEvent.UPDATE_ROWS_V1 -> rows(ChangedRow.Kind.UPDATE, in, false, false);
      case LogEvent.DELETE_ROWS_V1 -> rows(ChangedRow.Kind.DELETE, in, false, false);
      case LogEvent.WRITE_ROWS -> rows(ChangedRow.Kind.INSERT, in, true, false);
      case LogEvent.UPDATE_ROWS -> rows(ChangedRow.Kind.UPDATE, in, true, false);
      case LogEvent.DELETE_ROWS -> rows(ChangedRow.Kind.DELETE, in, true, false);
      case LogEvent.MARIADB_WRITE_COMPRESSED_V1 -> rows(ChangedRow.Kind.INSERT, in, false, true);
      case LogEvent.MARIADB_UPDATE_COMPRESSED_V1 -> rows(ChangedRow.Kind.UPDATE, in, false, true);
      case LogEvent.MARIADB_DELETE_COMPRESSED_V1 -> rows(ChangedRow.Kind.DELETE, in, false, true);
      case LogEvent.MARIADB_WRITE_COMPRESSED -> rows(ChangedRow.Kind.INSERT, in, true, true);
      case LogEvent.MARIADB_UPDATE_COMPRESSED -> rows(ChangedRow.Kind.UPDATE, in, true, true);
      case LogEvent.MARIADB_DELETE_COMPRESSED -> rows(ChangedRow.Kind.DELETE, in, true, true);
      case LogEvent.PARTIAL_UPDATE_ROWS -> partialRows(in);
      case LogEvent.INCIDENT ->
          addGap(new ChangeGap(Reason.RECORD_LOST, "", "", "the server lost events of its log"));
      case LogEvent.FORMAT_DESCRIPTION -> formatDescription(event);
      case LogEvent.STOP,
          LogEvent.HEARTBEAT,
          LogEvent.HEARTBEAT_V2,
          LogEvent.PREVIOUS_GTIDS,
          LogEvent.TRANSACTION_CONTEXT,
          LogEvent.VIEW_CHANGE,
          LogEvent.MARIADB_CHECKPOINT,
          LogEvent.MARIADB_GTID_LIST,
          LogEvent.MARIADB_ENCRYPTION -> {}
      default -> unknown(event);
    }
  }

  /** Parts of statements in text: a variable, a random seed, a file to load. */
  private void unknown(LogEvent event) {
    boolean isPartOfStatement =
        event.type() == 5 || event.type() == 13 || event.type() == 14 || event.type() == 17;
    if (event.type() == 18) {
      addGap(new ChangeGap(Reason.STATEMENT_FORMAT, "", "", "LOAD DATA in statement format"));
    } else if (!isPartOfStatement && !event.isIgnorable()) {
      addGap(new ChangeGap(Reason.NOT_UNDERSTOOD, "", "", "an event of type " + event.type()));
    }
  }

  private void rotate(EventBytes in) {
    long offset = in.littleEndian(8);
    file = in.text(in.remaining());
    if (!isGroupOpen) {
      LogPosition here = new LogPosition(file, offset);
      if (here.compareTo(complete) > 0) {
        complete = here;
        release();
      }
    }
  }

  /** At the beginning of a file: what a crashed server left open was never committed. */
  private void formatDescription(LogEvent event) {
    serverId = event.serverId();
    if (event.next() != 0) {
      open = null;
      isGroupOpen = false;
      tableMaps.clear();
    }
  }

  private void beginGroup(String id, long micros) {
    open = null;
    isGroupOpen = true;
    gtid = id;
    commitMicros = micros;
    gtidConnection = -1;
  }

  private void mysqlGtid(LogEvent event, EventBytes in) {
    in.skip(1);
    ByteBuffer server = ByteBuffer.wrap(in.take(16));
    long number = in.littleEndian(8);
    long micros = -1;
    if (in.remaining() > 0 && in.unsignedByte() == 2) {
      in.skip(16);
      if (in.remaining() >= 7) {
        micros = in.littleEndian(7) & ~(1L << 55);
      }
    }
    String id =
        event.type() == LogEvent.ANONYMOUS_GTID
            ? ""
            : new UUID(server.getLong(), server.getLong()) + ":" + number;
    beginGroup(id, micros);
  }

  private void mariadbGtid(LogEvent event, EventBytes in) {
    long sequence = in.littleEndian(8);
    long domain = in.littleEndian(4);
    int flags = in.unsignedByte();
    beginGroup(domain + "-" + event.serverId() + "-" + Long.toUnsignedString(sequence), -1);
    if ((flags & MARIADB_GROUP_COMMIT) != 0) {
      in.skip(8);
    }
    if ((flags & (MARIADB_PREPARED_XA | MARIADB_COMPLETED_XA)) != 0) {
      in.skip(4);
      int global = in.unsignedByte();
      in.skip(global + in.unsignedByte());
    }
    gtidConnection = connectionHere(event, mariadbConnection(in));
    if ((flags & MARIADB_STANDALONE) == 0) {
      open = new TransactionBuilder(gtidConnection);
    }
  }

  /** A connection's number; -1 if it was one to another server, from which this one receives. */
  private long connectionHere(LogEvent event, long connection) {
    return event.serverId() == serverId ? connection : -1;
  }

  /** From 11.5 on, behind other optional fields. */
  private static long mariadbConnection(EventBytes in) {
    if (in.remaining() == 0) {
      return -1;
    }
    int flags = in.unsignedByte();
    if ((flags & 1) != 0 && in.remaining() > 0) {
      in.skip(1);
    }
    if ((flags & 12) != 0 && in.remaining() >= 8) {
      in.skip(8);
    }
    return (flags & 16) != 0 && in.remaining() >= 4 ? in.littleEndian(4) : -1;
  }

  private TransactionBuilder builder() {
    if (open == null) {
      open = new TransactionBuilder(gtidConnection);
      isGroupOpen = true;
    }
    return open;
  }

  private void query(LogEvent event, EventBytes in, boolean isCompressed) {
    long connection = connectionHere(event, in.littleEndian(4));
    in.skip(4);
    int schemaLength = in.unsignedByte();
    in.skip(2);
    in.skip((int) in.littleEndian(2));
    String schema = in.text(schemaLength);
    in.skip(1);
    byte[] raw = isCompressed ? inflated(in) : in.rest();
    String text = new String(raw, StandardCharsets.UTF_8);
    if (text.equals("BEGIN")) { // as the server itself writes it
      begin(connection);
      return;
    }
    String sql = LEADING_COMMENTS.matcher(text).replaceFirst("");
    Matcher word = FIRST_WORD.matcher(sql);
    String verb = word.lookingAt() ? word.group().toUpperCase(Locale.ROOT) : "";
    switch (verb) {
      case "BEGIN" -> begin(connection);
      case "COMMIT" -> commit(event);
      case "ROLLBACK" -> rollback(sql);
      case "SAVEPOINT" -> builder().savepoint(lastWord(sql));
      case "XA" -> xa(event, sql, connection);
      default -> statement(event, verb, sql, schema, connection);
    }
  }

  private void begin(long connection) {
    isGroupOpen = true;
    open = new TransactionBuilder(connection);
  }

  private static String lastWord(String sql) {
    return sql.strip().substring(sql.strip().lastIndexOf(' ') + 1);
  }

  private void rollback(String sql) {
    if (sql.strip().indexOf(' ') > 0) {
      builder().rollbackTo(lastWord(sql));
      return;
    }
    TransactionBuilder ended = builder();
    endGroup();
    ended.rows.stream()
        .map(ChangedRow::table)
        .distinct()
        .forEach(
            table ->
                deliver(
                    new ChangeGap(
                        Reason.ROLLED_BACK,
                        table.schema(),
                        table.name(),
                        "a transaction that was rolled back, with a table without transactions")));
  }

  private void statement(LogEvent event, String verb, String sql, String schema, long connection) {
    if (ROW_STATEMENTS.contains(verb)) {
      String detail = "a statement of connection " + connection + " is logged as text: " + verb;
      addGap(new ChangeGap(Reason.STATEMENT_FORMAT, "", "", detail));
    } else if (SCHEMA_STATEMENTS.contains(verb) && !NOT_OF_TABLES.matcher(sql).matches()) {
      if (!verb.equals("TRUNCATE")) { // which empties a table that stays as it is described
        dropUncertain("the table, or another, was changed at that time");
        descriptions.clear();
      }
      deliver(new SchemaChange(schema, sql, new LogPosition(file, event.next())));
    }
    // CREATE TABLE … SELECT goes on with its rows.
    if (sql.stripTrailing().endsWith("START TRANSACTION")) {
      begin(connection);
    } else if (open == null) {
      endGroup();
    }
  }

  private void xa(LogEvent event, String sql, long connection) {
    String[] words = sql.strip().split("\\s+", 3);
    String action = words.length > 1 ? words[1].toUpperCase(Locale.ROOT) : "";
    String xid = words.length > 2 ? words[2].replace(" ", "").toLowerCase(Locale.ROOT) : "";
    switch (action) {
      case "START", "BEGIN" -> begin(connection);
      case "COMMIT" -> {
        TransactionBuilder known = prepared.remove(xid);
        endGroup();
        if (known != null) {
          deliver(event, known);
        } else {
          deliver(
              new ChangeGap(
                  Reason.PREPARED_BEFORE, "", "", "XA COMMIT of what was prepared before: " + xid));
        }
      }
      case "ROLLBACK" -> {
        prepared.remove(xid);
        endGroup();
      }
      default -> {}
    }
  }

  private void xaPrepare(LogEvent event, EventBytes in) {
    boolean onePhase = in.unsignedByte() != 0;
    long format = in.littleEndian(4);
    int global = (int) in.littleEndian(4);
    int branch = (int) in.littleEndian(4);
    String xid =
        "x'"
            + HexFormat.of().formatHex(in.take(global))
            + "',x'"
            + HexFormat.of().formatHex(in.take(branch))
            + "',"
            + format;
    TransactionBuilder ended = builder();
    ended.xid = xid;
    endGroup();
    if (onePhase) {
      deliver(event, ended);
      return;
    }
    prepared.put(xid, ended);
    int rows = prepared.values().stream().mapToInt(each -> each.rows.size()).sum();
    if (rows > MAX_PREPARED_ROWS) {
      // Its commit finds nothing and is a gap.
      prepared.remove(prepared.keySet().iterator().next());
    }
  }

  private void commit(LogEvent event) {
    TransactionBuilder ended = builder();
    endGroup();
    deliver(event, ended);
  }

  private void endGroup() {
    open = null;
    isGroupOpen = false;
  }

  private void deliver(LogEvent event, TransactionBuilder ended) {
    ended.gaps.values().forEach(this::deliver);
    if (ended.rows.isEmpty() && ended.gaps.isEmpty()) {
      return;
    }
    LogPosition end = new LogPosition(file, event.next() == 0 ? payloadEnd : event.next());
    boolean exact = commitMicros >= 0;
    deliver(
        new ChangedTransaction(
            server,
            gtid.isEmpty() ? end.toString() : gtid,
            end,
            ended.connectionId,
            exact ? commitMicros : event.seconds() * MICROS_PER_SECOND,
            exact ? 1 : MICROS_PER_SECOND,
            ended.xid,
            ended.rows,
            ended.gaps.isEmpty()));
  }

  /** A compressed transaction: fields, of which the last is the payload, which are events. */
  private void payload(EventBytes in) {
    int type = 0;
    long size = -1;
    for (int field = in.packedInt(); field != 0; field = in.packedInt()) {
      EventBytes content = new EventBytes(in.take(in.packedInt()));
      if (field == 2) {
        type = content.packedInt();
      } else if (field == 3) {
        size = content.packed();
      }
    }
    byte[] payload = in.rest();
    if (type != 0 && type != 255) {
      throw new MalformedEvent("compressed by method " + type);
    }
    if (type == 0) {
      if (size < 0 || size > MAX_UNCOMPRESSED_BYTES) {
        endGroup();
        deliver(
            new ChangeGap(
                Reason.TOO_LARGE, "", "", "a compressed transaction of " + size + " bytes"));
        return;
      }
      byte[] events = new byte[(int) size];
      new ZstdDecompressor().decompress(payload, 0, payload.length, events, 0, events.length);
      payload = events;
    }
    EventBytes events = new EventBytes(payload);
    while (events.remaining() > 0) {
      LogEvent inner = LogEvent.read(events, 0);
      read(new LogEvent(inner.type(), inner.seconds(), inner.serverId(), 0, 0, inner.body()));
    }
  }

  /** MariaDB: a byte that states how many bytes state the length, the length, then zlib. */
  private static byte[] inflated(EventBytes in) {
    int header = in.unsignedByte();
    if ((header & 0xe0) != 0x80 || (header & 0x70) >> 4 != 0) {
      throw new MalformedEvent("compressed by method " + header);
    }
    long length = in.bigEndian(header & 7);
    if (length > MAX_UNCOMPRESSED_BYTES) {
      throw new MalformedEvent("an event of " + length + " bytes");
    }
    byte[] content = new byte[(int) length];
    Inflater inflater = new Inflater();
    try {
      inflater.setInput(in.rest());
      int at = 0;
      while (at < content.length) {
        int count = inflater.inflate(content, at, content.length - at);
        if (count == 0) {
          throw new MalformedEvent("a compressed event that ends early");
        }
        at += count;
      }
    } catch (DataFormatException e) {
      throw new MalformedEvent("a compressed event: " + e.getMessage());
    } finally {
      inflater.end();
    }
    return content;
  }

  private void tableMap(byte[] body) {
    long id = new EventBytes(body).littleEndian(6);
    TableMap known = tableMaps.get(id);
    if (known == null || !known.isSameAs(body)) {
      if (tableMaps.size() >= MAX_TABLE_MAPS) {
        tableMaps.clear();
      }
      tableMaps.remove(id);
      tableMaps.put(id, TableMap.of(body));
    }
  }

  private void partialRows(EventBytes in) {
    TableMap map = tableMaps.get(in.littleEndian(6));
    String detail = "UPDATEs of parts of JSON values (binlog_row_value_options)";
    builder()
        .addGap(
            new ChangeGap(
                Reason.NOT_UNDERSTOOD,
                map == null ? "" : map.schema,
                map == null ? "" : map.table,
                detail));
    if ((in.littleEndian(2) & STATEMENT_END) != 0) {
      builder().endStatement();
    }
  }

  private void rows(
      ChangedRow.Kind kind, EventBytes in, boolean hasExtraData, boolean isCompressed) {
    TransactionBuilder transaction = builder();
    TableMap map = tableMaps.get(in.littleEndian(6));
    boolean endsStatement = (in.littleEndian(2) & STATEMENT_END) != 0;
    if (map == null) {
      // Without rows, MySQL ends a statement with an event of no table.
      if (in.remaining() > 16) {
        transaction.addGap(
            new ChangeGap(Reason.NOT_UNDERSTOOD, "", "", "rows of a table that was not named"));
      }
    } else if (!map.schema.equals("mysql") && !transaction.rejects(map.schema, map.table)) {
      if (hasExtraData) {
        in.skip((int) in.littleEndian(2) - 2);
      }
      rows(kind, in, isCompressed, map, transaction);
    }
    if (endsStatement) {
      transaction.endStatement();
    }
  }

  private void rows(
      ChangedRow.Kind kind,
      EventBytes in,
      boolean isCompressed,
      TableMap map,
      TransactionBuilder transaction) {
    TableDescriptions.Described described = descriptions.of(map);
    TableDescription table = described.table();
    if (table == null) {
      transaction.addGap(
          new ChangeGap(Reason.TABLE_UNKNOWN, map.schema, map.table, described.problem()));
      return;
    }
    try {
      int width = in.packedInt();
      BitSet first = in.bits(width);
      BitSet second = kind == ChangedRow.Kind.UPDATE ? in.bits(width) : first;
      EventBytes images = isCompressed ? new EventBytes(inflated(in)) : in;
      while (images.remaining() > 0 && !transaction.rejects(map.schema, map.table)) {
        @Nullable Object[] before =
            kind == ChangedRow.Kind.INSERT ? null : RowDecoder.image(images, map, table, first);
        @Nullable Object[] after =
            kind == ChangedRow.Kind.DELETE ? null : RowDecoder.image(images, map, table, second);
        if (before != null && after != null) {
          fill(after, before);
        }
        transaction.add(
            new ChangedRow(
                kind, table.table(), before, after, transaction.statement(), transaction.text));
      }
    } catch (MalformedEvent | IllegalArgumentException | IndexOutOfBoundsException e) {
      transaction.addGap(
          new ChangeGap(Reason.NOT_UNDERSTOOD, map.schema, map.table, String.valueOf(e)));
    }
  }

  /** A minimal image has what changed alone. */
  private static void fill(@Nullable Object[] after, @Nullable Object[] before) {
    for (int i = 0; i < after.length; i++) {
      if (after[i] == UnknownValue.ABSENT) {
        after[i] = before[i];
      }
    }
  }
}
