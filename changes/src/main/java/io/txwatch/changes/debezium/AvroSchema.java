package io.txwatch.changes.debezium;

import java.io.IOException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/**
 * A schema of Avro, as Kafka Connect's converter writes it, and the values of that schema. Both
 * become what Kafka Connect's JSON has of them: {@code connect.name}, {@code connect.type} and
 * {@code connect.parameters} keep the names and types that Avro does not have.
 */
final class AvroSchema {

  private static final int MAX_DEPTH = 64;

  /** Fields within fields: a record that several fields contain counts for each. */
  private static final int MAX_FIELDS = 100_000;

  private final String type;

  /** Of the fields of a record, or the symbols of an enumeration. */
  private final List<String> names = new ArrayList<>();

  /** The types of fields, of the branches of a union, or of what a list or map contains. */
  private final List<AvroSchema> parts = new ArrayList<>();

  private final @Nullable Object declaration;
  private final int size;
  private @Nullable Map<String, @Nullable Object> connect;

  private AvroSchema(String type, @Nullable Object declaration) {
    this.type = type;
    this.declaration = declaration;
    this.size = (int) JsonTree.number(declaration, "size", 0);
  }

  /**
   * Reads a schema.
   *
   * @param json its JSON
   * @throws IOException if it is none
   */
  static AvroSchema of(@Nullable Object json) throws IOException {
    return of(json, "", new HashMap<>(), 0);
  }

  private static AvroSchema of(
      @Nullable Object json, String namespace, Map<String, AvroSchema> named, int depth)
      throws IOException {
    if (depth > MAX_DEPTH) {
      throw new IOException("it is nested more than " + MAX_DEPTH + " times");
    }
    if (json instanceof List<?> branches) {
      AvroSchema union = new AvroSchema("union", null);
      for (Object branch : branches) {
        union.parts.add(of(branch, namespace, named, depth + 1));
      }
      return union;
    }
    Object type = json instanceof Map<?, ?> ? JsonTree.get(json, "type") : json;
    if (!(type instanceof String)) {
      if (json instanceof Map<?, ?> && type != null) {
        return of(type, namespace, named, depth + 1);
      }
      throw new IOException("a type is missing");
    }
    String name = type.toString();
    switch (name) {
      case "null", "boolean", "int", "long", "float", "double", "bytes", "string":
        return new AvroSchema(name, json);
      case "array", "map":
        AvroSchema container = new AvroSchema(name, json);
        Object content = JsonTree.get(json, name.equals("array") ? "items" : "values");
        container.parts.add(of(content, namespace, named, depth + 1));
        return container;
      case "record", "enum", "fixed":
        return named(name, json, namespace, named, depth);
      default:
        AvroSchema known = named.get(fullName(name, namespace));
        if (known == null) {
          throw new IOException("the type " + name + " is not declared");
        }
        return known;
    }
  }

  private static AvroSchema named(
      String type,
      @Nullable Object json,
      String namespace,
      Map<String, AvroSchema> named,
      int depth)
      throws IOException {
    String name = JsonTree.text(json, "name");
    if (name == null) {
      throw new IOException("a name is missing");
    }
    String stated = JsonTree.text(json, "namespace");
    String fullName = fullName(name, stated == null ? namespace : stated);
    String inner = fullName.substring(0, Math.max(0, fullName.lastIndexOf('.')));
    AvroSchema schema = new AvroSchema(type, json);
    named.put(fullName, schema);
    if (JsonTree.get(json, "symbols") instanceof List<?> symbols) {
      symbols.forEach(symbol -> schema.names.add(String.valueOf(symbol)));
    }
    if (JsonTree.get(json, "fields") instanceof List<?> fields) {
      for (Object field : fields) {
        schema.names.add(String.valueOf(JsonTree.text(field, "name")));
        schema.parts.add(of(JsonTree.get(field, "type"), inner, named, depth + 1));
      }
    }
    return schema;
  }

  private static String fullName(String name, String namespace) {
    return name.indexOf('.') >= 0 || namespace.isEmpty() ? name : namespace + "." + name;
  }

  /**
   * The schema as Kafka Connect's JSON has it; each time the same object.
   *
   * @throws IOException if a record contains itself
   */
  Map<String, @Nullable Object> connect() throws IOException {
    if (connect == null) {
      connect = connect(false, 0, new AtomicInteger());
    }
    return connect;
  }

  private Map<String, @Nullable Object> connect(boolean isOptional, int depth, AtomicInteger count)
      throws IOException {
    if (depth > MAX_DEPTH || count.incrementAndGet() > MAX_FIELDS) {
      throw new IOException("a record contains itself, or it has more than 100,000 fields");
    }
    if (type.equals("union")) {
      List<AvroSchema> others = parts.stream().filter(part -> !part.type.equals("null")).toList();
      if (others.size() == 1) {
        return others.get(0).connect(others.size() < parts.size(), depth + 1, count);
      }
    }
    Map<String, @Nullable Object> schema = new LinkedHashMap<>();
    schema.put("type", connectType());
    schema.put("optional", isOptional);
    String name = JsonTree.text(declaration, "connect.name");
    if (name != null) {
      schema.put("name", name);
    }
    Object parameters = JsonTree.get(declaration, "connect.parameters");
    if (parameters != null) {
      schema.put("parameters", parameters);
    }
    if (type.equals("record")) {
      List<Object> fields = new ArrayList<>();
      for (int i = 0; i < parts.size(); i++) {
        Map<String, @Nullable Object> field = parts.get(i).connect(false, depth + 1, count);
        field.put("field", names.get(i));
        fields.add(field);
      }
      schema.put("fields", fields);
    } else if (type.equals("array")) {
      schema.put("items", parts.get(0).connect(false, depth + 1, count));
    }
    return schema;
  }

  private String connectType() {
    String stated = JsonTree.text(declaration, "connect.type");
    if (stated != null) {
      return stated;
    }
    return switch (type) {
      case "int" -> "int32";
      case "long" -> "int64";
      case "record" -> "struct";
      case "enum" -> "string";
      case "fixed" -> "bytes";
      default -> type;
    };
  }

  /**
   * Reads a value as Kafka Connect's JSON has it: bytes are in Base64.
   *
   * @throws IOException if the bytes are no such value
   */
  @Nullable Object value(AvroBytes in) throws IOException {
    return value(in, 0);
  }

  private @Nullable Object value(AvroBytes in, int depth) throws IOException {
    if (depth > MAX_DEPTH) {
      throw new IOException("a value is nested more than " + MAX_DEPTH + " times");
    }
    return switch (type) {
      case "null" -> null;
      case "boolean" -> in.bool();
      case "int" -> Math.toIntExact(in.number());
      case "long" -> in.number();
      case "float" -> in.float32();
      case "double" -> in.float64();
      case "bytes" -> in.base64(in.length());
      case "fixed" -> in.base64(size);
      case "string" -> in.text();
      case "enum" -> names.get(in.index(names.size()));
      case "union" -> parts.get(in.index(parts.size())).value(in, depth + 1);
      case "record" -> {
        Map<String, @Nullable Object> fields = new LinkedHashMap<>();
        for (int i = 0; i < parts.size(); i++) {
          fields.put(names.get(i), parts.get(i).value(in, depth + 1));
        }
        yield fields;
      }
      case "array" -> {
        List<@Nullable Object> items = new ArrayList<>();
        for (int count = in.blockCount(); count > 0; count = in.blockCount()) {
          for (int i = 0; i < count; i++) {
            items.add(parts.get(0).value(in, depth + 1));
          }
        }
        yield items;
      }
      case "map" -> {
        Map<String, @Nullable Object> entries = new LinkedHashMap<>();
        for (int count = in.blockCount(); count > 0; count = in.blockCount()) {
          for (int i = 0; i < count; i++) {
            String key = in.text();
            entries.put(key, parts.get(0).value(in, depth + 1));
          }
        }
        yield entries;
      }
      default -> throw new IOException("the type " + type);
    };
  }
}
