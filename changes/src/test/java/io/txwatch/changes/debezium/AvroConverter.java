package io.txwatch.changes.debezium;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Base64;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import org.apache.avro.Schema;
import org.apache.avro.generic.GenericData;
import org.apache.avro.generic.GenericDatumWriter;
import org.apache.avro.io.BinaryEncoder;
import org.apache.avro.io.EncoderFactory;
import org.jspecify.annotations.NullUnmarked;

/** Writes records of Kafka Connect's JSON in Avro, with Avro's own library. */
@NullUnmarked // the trees of JSON may have null anywhere
final class AvroConverter {

  private final Map<String, Integer> ids = new LinkedHashMap<>();

  /** Their JSON, in the order of their numbers, from 1. */
  List<String> schemas() {
    return List.copyOf(ids.keySet());
  }

  /** Converts a key or a value with its schema. */
  byte[] convert(byte[] json) throws IOException {
    Object wrapped = JsonTree.read(json);
    Map<?, ?> connect = (Map<?, ?>) JsonTree.get(wrapped, "schema");
    Object declared = declaration(connect, new ArrayList<>());
    Schema schema = new Schema.Parser().parse(text(declared));
    int id = ids.computeIfAbsent(schema.toString(), each -> ids.size() + 1);
    ByteArrayOutputStream out = new ByteArrayOutputStream();
    out.write(0);
    out.write(ByteBuffer.allocate(4).putInt(id).array());
    BinaryEncoder encoder = EncoderFactory.get().binaryEncoder(out, null);
    new GenericDatumWriter<Object>(schema)
        .write(value(JsonTree.get(wrapped, "payload"), schema), encoder);
    encoder.flush();
    return out.toByteArray();
  }

  /** A record is declared once, and named after that. */
  private static Object declaration(Map<?, ?> connect, List<String> declared) {
    String type = (String) connect.get("type");
    Object name = connect.get("name");
    Map<String, Object> avro = new LinkedHashMap<>();
    if (type.equals("struct")) {
      String record = name == null ? "ConnectDefault" + declared.size() : (String) name;
      if (name != null && declared.contains(record)) {
        return optional(connect, record);
      }
      declared.add(record);
      avro.put("type", "record");
      avro.put("name", record);
      List<Object> fields = new ArrayList<>();
      for (Object each : (List<?>) connect.get("fields")) {
        Map<?, ?> field = (Map<?, ?>) each;
        fields.add(
            Map.of("name", field.get("field"), "type", (Object) declaration(field, declared)));
      }
      avro.put("fields", fields);
    } else if (type.equals("array")) {
      avro.put("type", "array");
      avro.put("items", declaration((Map<?, ?>) connect.get("items"), declared));
    } else {
      String primitive =
          switch (type) {
            case "int8", "int16", "int32" -> "int";
            case "int64" -> "long";
            default -> type;
          };
      avro.put("type", primitive);
      if (type.equals("int8") || type.equals("int16")) {
        avro.put("connect.type", type);
      }
    }
    if (name != null) {
      avro.put("connect.name", name);
      avro.put("connect.version", 1);
    }
    if (connect.get("parameters") != null) {
      avro.put("connect.parameters", connect.get("parameters"));
    }
    if ("org.apache.kafka.connect.data.Decimal".equals(name)) {
      avro.put("logicalType", "decimal");
      avro.put("precision", 64);
      avro.put(
          "scale", Integer.valueOf((String) ((Map<?, ?>) connect.get("parameters")).get("scale")));
    }
    return optional(connect, avro);
  }

  private static Object optional(Map<?, ?> connect, Object type) {
    return Boolean.TRUE.equals(connect.get("optional")) ? List.of("null", type) : type;
  }

  private static Object value(Object json, Schema schema) {
    if (json == null) {
      return null;
    }
    return switch (schema.getType()) {
      case UNION -> value(json, schema.getTypes().get(1));
      case RECORD -> {
        GenericData.Record record = new GenericData.Record(schema);
        for (Schema.Field field : schema.getFields()) {
          record.put(field.pos(), value(JsonTree.get(json, field.name()), field.schema()));
        }
        yield record;
      }
      case ARRAY ->
          ((List<?>) json).stream().map(item -> value(item, schema.getElementType())).toList();
      case INT -> ((Number) json).intValue();
      case LONG -> ((Number) json).longValue();
      case FLOAT -> ((Number) json).floatValue();
      case DOUBLE -> ((Number) json).doubleValue();
      case BYTES -> ByteBuffer.wrap(Base64.getDecoder().decode((String) json));
      default -> json;
    };
  }

  /** JSON of maps, lists, texts without escapes, and numbers. */
  static String text(Object json) {
    if (json instanceof Map<?, ?> map) {
      return map.entrySet().stream()
          .map(entry -> text(entry.getKey()) + ":" + text(entry.getValue()))
          .collect(Collectors.joining(",", "{", "}"));
    } else if (json instanceof List<?> list) {
      return list.stream().map(AvroConverter::text).collect(Collectors.joining(",", "[", "]"));
    }
    return json instanceof String text
        ? '"' + text.replace("\\", "\\\\").replace("\"", "\\\"") + '"'
        : String.valueOf(json);
  }
}
