package io.txwatch.changes.debezium;

import io.txwatch.changes.ChangeGap;
import io.txwatch.changes.ChangeGap.Reason;
import io.txwatch.changes.ChangedRow;
import io.txwatch.changes.ChangedTable;
import io.txwatch.changes.LogPosition;
import io.txwatch.changes.SchemaChange;
import io.txwatch.changes.UnknownValue;
import java.io.IOException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Decodes the records of Debezium's topics: in JSON as Kafka Connect's converter writes it, or in
 * Avro with a registry of schemas. What cannot be represented exactly is a gap with its reason. Not
 * thread-safe.
 *
 * <p>Envelopes need their schema ({@code schemas.enable=true}, the converter's default): without,
 * the number 20512 may be an integer or the 28th of February.
 */
public final class DebeziumDecoder {

  private static final long MICROS_PER_MILLI = 1000;
  private static final long MICROS_PER_SECOND = 1_000_000;

  private final @Nullable SchemaRegistry registry;

  /** By topic: as long as its schema is the same, so is the table. */
  private final Map<String, Described> tables = new HashMap<>();

  private record Described(
      @Nullable Object schema,
      @Nullable Object keySchema,
      ChangedTable table,
      List<FieldType> fields) {}

  /** A decoder of JSON; a record in Avro is a gap. */
  public DebeziumDecoder() {
    this(null);
  }

  /**
   * A decoder.
   *
   * @param registry has the schemas of records in Avro; null if there is none
   */
  public DebeziumDecoder(@Nullable SchemaRegistry registry) {
    this.registry = registry;
  }

  /**
   * Decodes one record.
   *
   * @param topic its topic; it identifies the table's description alone
   * @param key its key; null if it has none
   * @param value its value; null for a tombstone
   * @throws SchemaRegistryException if the registry does not have its schema, or does not answer
   */
  public DebeziumRecord decode(String topic, byte @Nullable [] key, byte @Nullable [] value) {
    if (value == null) {
      return new DebeziumRecord.Nothing("a tombstone");
    }
    try {
      Object json = tree(value);
      Object keyJson = key == null ? null : tree(key);
      boolean isWrapped = isWrapped(json);
      Object payload = isWrapped ? JsonTree.get(json, "payload") : json;
      if (payload == null) {
        return new DebeziumRecord.Nothing("a tombstone");
      }
      if (JsonTree.get(payload, "status") instanceof String status
          && JsonTree.get(payload, "source") == null) {
        return boundary(status, payload);
      }
      Object source = JsonTree.get(payload, "source");
      String connector = JsonTree.text(source, "connector");
      if (source == null || connector == null) {
        return JsonTree.get(payload, "ts_ms") != null
            ? new DebeziumRecord.Nothing("a heartbeat")
            : gap(Reason.NOT_UNDERSTOOD, "", "", topic + ": no envelope of Debezium");
      }
      if (JsonTree.get(payload, "ddl") instanceof String ddl) {
        return schema(ddl, payload, source);
      }
      if (!Set.of("mysql", "mariadb", "postgresql").contains(connector)) {
        return gap(Reason.NOT_UNDERSTOOD, "", "", topic + ": the connector " + connector);
      }
      return change(topic, isWrapped ? JsonTree.get(json, "schema") : null, keyJson, payload);
    } catch (SchemaRegistryException e) {
      throw e;
    } catch (IOException | RuntimeException e) {
      return gap(Reason.NOT_UNDERSTOOD, "", "", topic + ": " + firstLine(e));
    }
  }

  private @Nullable Object tree(byte[] bytes) throws IOException {
    return AvroBytes.isAvro(bytes) ? AvroBytes.read(bytes, registry) : JsonTree.read(bytes);
  }

  private static String firstLine(Exception e) {
    return String.valueOf(e.getMessage()).lines().findFirst().orElse("");
  }

  private static boolean isWrapped(@Nullable Object json) {
    return json instanceof Map<?, ?> fields
        && fields.size() == 2
        && fields.containsKey("schema")
        && fields.containsKey("payload");
  }

  private static DebeziumRecord gap(Reason reason, String schema, String table, String detail) {
    return new DebeziumRecord.Undecodable(new ChangeGap(reason, schema, table, detail));
  }

  private static DebeziumRecord boundary(String status, Object payload) {
    String id = JsonTree.text(payload, "id");
    if (!status.equals("END") || id == null) {
      return new DebeziumRecord.Nothing("the beginning of a transaction");
    }
    return new DebeziumRecord.TransactionEnd(
        transaction(id), JsonTree.number(payload, "event_count", 0));
  }

  /** On PostgreSQL the position of each change follows the transaction's number. */
  private static String transaction(String id) {
    int colon = id.indexOf(':');
    boolean isNumber = colon > 0 && id.substring(0, colon).chars().allMatch(Character::isDigit);
    return isNumber ? id.substring(0, colon) : id;
  }

  /** What a snapshot states of a schema is no change. */
  private static DebeziumRecord schema(String ddl, Object payload, Object source) {
    String snapshot = JsonTree.text(source, "snapshot");
    if (snapshot != null && !snapshot.equals("false")) {
      return new DebeziumRecord.Nothing("a snapshot");
    }
    String schema = JsonTree.text(payload, "databaseName");
    return new DebeziumRecord.Schema(
        new SchemaChange(schema == null ? "" : schema, ddl, place(source).at()));
  }

  private DebeziumRecord change(
      String topic, @Nullable Object schema, @Nullable Object key, Object payload) {
    Object source = Objects.requireNonNull(JsonTree.get(payload, "source"));
    boolean isPostgres = "postgresql".equals(JsonTree.text(source, "connector"));
    String database = JsonTree.text(source, isPostgres ? "schema" : "db");
    String name = JsonTree.text(source, "table");
    String op = JsonTree.text(payload, "op");
    if (op == null || database == null || name == null) {
      return gap(Reason.NOT_UNDERSTOOD, "", "", topic + ": an envelope without op or table");
    }
    switch (op) {
      case "r":
        return new DebeziumRecord.Nothing("a snapshot");
      case "m":
        return new DebeziumRecord.Nothing("a message");
      case "t":
        return new DebeziumRecord.Schema(
            new SchemaChange(database, "TRUNCATE TABLE " + name, place(source).at()));
      case "c", "u", "d":
        break;
      default:
        return gap(Reason.NOT_UNDERSTOOD, database, name, topic + ": the operation " + op);
    }
    if (schema == null) {
      return gap(
          Reason.TABLE_UNKNOWN,
          database,
          name,
          "an envelope without its schema; set key.converter.schemas.enable=true and"
              + " value.converter.schemas.enable=true");
    }
    Described described = described(topic, schema, key, database, name, isPostgres);
    if (described == null) {
      return gap(Reason.TABLE_UNKNOWN, database, name, "an envelope whose schema names no columns");
    }
    @Nullable Object[] before = image(described, JsonTree.get(payload, "before"), isPostgres);
    @Nullable Object[] after = image(described, JsonTree.get(payload, "after"), false);
    if (before == null && op.equals("u")) {
      // PostgreSQL's log has the old row with REPLICA IDENTITY FULL alone. The key is the same:
      // a change of it becomes two records.
      before = keyOf(described.table(), after);
    }
    boolean isPossible =
        switch (op) {
          case "c" -> before == null && after != null;
          case "d" -> before != null && after == null;
          default -> before != null && after != null;
        };
    if (!isPossible) {
      return gap(
          Reason.NOT_UNDERSTOOD,
          database,
          name,
          topic + ": an operation " + op + " without its row");
    }
    ChangedRow.Kind kind =
        switch (op) {
          case "c" -> ChangedRow.Kind.INSERT;
          case "d" -> ChangedRow.Kind.DELETE;
          default -> ChangedRow.Kind.UPDATE;
        };
    return new DebeziumRecord.Change(
        transaction(payload, source),
        source(payload, source),
        place(source),
        new DebeziumRecord.Order((int) JsonTree.number(source, "row", 0), op.equals("c")),
        new ChangedRow(kind, described.table(), before, after, 0, JsonTree.text(source, "query")));
  }

  private @Nullable Described described(
      String topic,
      Object schema,
      @Nullable Object key,
      String database,
      String name,
      boolean isPostgres) {
    Object keySchema = isWrapped(key) ? JsonTree.get(key, "schema") : null;
    Described known = tables.get(topic);
    if (known != null
        && schema.equals(known.schema())
        && Objects.equals(keySchema, known.keySchema())
        && known.table().schema().equals(database)
        && known.table().name().equals(name)) {
      return known;
    }
    List<FieldType> fields = new ArrayList<>();
    for (Object field : fields(schema)) {
      if ("after".equals(JsonTree.text(field, "field"))) {
        fields(field).forEach(column -> fields.add(FieldType.of(column, isPostgres)));
      }
    }
    if (fields.isEmpty()) {
      return null;
    }
    List<ChangedTable.Column> columns = new ArrayList<>();
    for (FieldType field : fields) {
      columns.add(
          new ChangedTable.Column(
              field.name(), field.type(), field.declared(), field.isOptional()));
    }
    Described now =
        new Described(
            schema,
            keySchema,
            new ChangedTable(database, name, columns, keys(keySchema, fields)),
            fields);
    tables.put(topic, now);
    return now;
  }

  private static List<?> fields(@Nullable Object schema) {
    return JsonTree.get(schema, "fields") instanceof List<?> fields ? fields : List.of();
  }

  /** The key of the records is the primary key, or a unique one of columns that are NOT NULL. */
  private static List<ChangedTable.Key> keys(@Nullable Object keySchema, List<FieldType> fields) {
    List<Integer> columns = new ArrayList<>();
    for (Object part : fields(keySchema)) {
      int index = -1;
      for (int i = 0; i < fields.size(); i++) {
        if (fields.get(i).name().equals(JsonTree.text(part, "field"))) {
          index = i;
        }
      }
      if (index < 0) {
        return List.of();
      }
      columns.add(index);
    }
    return columns.isEmpty() ? List.of() : List.of(new ChangedTable.Key("PRIMARY", true, columns));
  }

  /**
   * Reads an image of a row.
   *
   * @param isPartial whether columns that the log does not have may be NULL or zero in it: in the
   *     old row on PostgreSQL, where those outside of the key are
   */
  private static @Nullable Object @Nullable [] image(
      Described described, @Nullable Object row, boolean isPartial) {
    if (!(row instanceof Map<?, ?> values)) {
      return null;
    }
    ChangedTable.Key key = described.table().rowKey();
    Set<Integer> ofKey = new HashSet<>(key == null ? List.of() : key.columns());
    @Nullable Object[] image = new @Nullable Object[described.fields().size()];
    for (int i = 0; i < image.length; i++) {
      FieldType field = described.fields().get(i);
      Object value = values.get(field.name());
      boolean isKnown =
          values.containsKey(field.name())
              && (!isPartial || ofKey.contains(i) || field.isOptional() && value != null);
      image[i] = isKnown ? field.value(value) : UnknownValue.ABSENT;
    }
    return image;
  }

  private static @Nullable Object @Nullable [] keyOf(
      ChangedTable table, @Nullable Object @Nullable [] row) {
    ChangedTable.Key key = table.rowKey();
    if (row == null) {
      return null;
    }
    @Nullable Object[] image = new @Nullable Object[row.length];
    for (int i = 0; i < image.length; i++) {
      image[i] = key != null && key.columns().contains(i) ? row[i] : UnknownValue.ABSENT;
    }
    return image;
  }

  /** The GTID, PostgreSQL's number, or what the connector counts as transactions. */
  private static @Nullable String transaction(Object payload, Object source) {
    String gtid = JsonTree.text(source, "gtid");
    if (gtid != null) {
      return gtid;
    }
    if (JsonTree.get(source, "txId") instanceof Number number) {
      return number.toString();
    }
    String id = JsonTree.text(JsonTree.get(payload, "transaction"), "id");
    return id == null ? null : transaction(id);
  }

  private static DebeziumRecord.Source source(Object payload, Object source) {
    long millis = JsonTree.number(source, "ts_ms", -1);
    long micros = JsonTree.number(source, "ts_us", millis < 0 ? -1 : millis * MICROS_PER_MILLI);
    long read = JsonTree.number(payload, "ts_ms", 0) * MICROS_PER_MILLI + MICROS_PER_MILLI - 1;
    boolean isPrecise =
        "postgresql".equals(JsonTree.text(source, "connector")) || micros % MICROS_PER_SECOND != 0;
    String server =
        JsonTree.get(source, "server_id") instanceof Number id
            ? id.toString()
            : String.valueOf(JsonTree.text(source, "name"));
    return new DebeziumRecord.Source(
        server,
        JsonTree.number(source, "thread", -1),
        micros,
        isPrecise ? 1 : MICROS_PER_SECOND,
        JsonTree.number(payload, "ts_us", read));
  }

  private static DebeziumRecord.Place place(Object source) {
    String file = JsonTree.text(source, "file");
    if (file != null) {
      LogPosition at = new LogPosition(file, JsonTree.number(source, "pos", 0));
      return new DebeziumRecord.Place(at, at);
    }
    long lsn = JsonTree.number(source, "lsn", 0);
    return new DebeziumRecord.Place(
        new LogPosition("", lastCommit(JsonTree.text(source, "sequence"), lsn)),
        new LogPosition("", lsn));
  }

  /** Where the transaction before ended, from {@code ["8757104","8757144"]}. */
  private static long lastCommit(@Nullable String sequence, long lsn) {
    if (sequence == null) {
      return lsn;
    }
    String first = sequence.replaceAll("^\\[\"?(\\d*).*", "$1");
    return first.isEmpty() || !first.chars().allMatch(Character::isDigit)
        ? 0
        : Long.parseLong(first);
  }
}
