package io.txwatch.cli;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonGenerator;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonToken;
import java.io.IOException;
import java.io.Reader;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * An object of a JSON file, whose fields have to be of the type that is expected: otherwise the
 * methods throw {@link IllegalArgumentException}.
 */
final class JsonObject {

  private final Map<?, ?> fields;

  private JsonObject(@Nullable Object value) {
    this.fields = require(Map.class, value);
  }

  /**
   * Reads the objects of a text, one after the other.
   *
   * @throws IOException if it is not JSON, or cannot be read
   */
  static void read(Reader text, Consumer<JsonObject> to) throws IOException {
    try (JsonParser json = new JsonFactory().createParser(text)) {
      while (json.nextToken() != null) {
        to.accept(new JsonObject(value(json)));
      }
    }
  }

  String text(String name) {
    return require(String.class, fields.get(name));
  }

  /** The text of a field; empty if the object has no such field, or another value. */
  Optional<String> optionalText(String name) {
    return fields.get(name) instanceof String text ? Optional.of(text) : Optional.empty();
  }

  long number(String name) {
    return require(Number.class, fields.get(name)).longValue();
  }

  boolean isTrue(String name) {
    return require(Boolean.class, fields.get(name));
  }

  List<String> texts(String name) {
    return list(name).stream().map(item -> require(String.class, item)).toList();
  }

  JsonObject object(String name) {
    return new JsonObject(fields.get(name));
  }

  List<JsonObject> objects(String name) {
    return list(name).stream().map(JsonObject::new).toList();
  }

  boolean has(String name) {
    return fields.get(name) != null;
  }

  /** Its fields: texts, numbers, booleans, lists and maps. */
  Map<String, Object> fields() {
    Map<String, Object> copy = new LinkedHashMap<>();
    fields.forEach((name, value) -> copy.put(String.valueOf(name), value));
    return copy;
  }

  /** Writes it as it was read. */
  void write(JsonGenerator json) throws IOException {
    write(json, fields);
  }

  private static void write(JsonGenerator json, @Nullable Object value) throws IOException {
    if (value instanceof Map<?, ?> object) {
      json.writeStartObject();
      for (Map.Entry<?, ?> field : object.entrySet()) {
        json.writeFieldName(String.valueOf(field.getKey()));
        write(json, field.getValue());
      }
      json.writeEndObject();
    } else if (value instanceof List<?> items) {
      json.writeStartArray();
      for (Object item : items) {
        write(json, item);
      }
      json.writeEndArray();
    } else {
      json.writePOJO(value);
    }
  }

  private List<?> list(String name) {
    return require(List.class, fields.get(name));
  }

  private static <T> T require(Class<T> type, @Nullable Object value) {
    if (!type.isInstance(value)) {
      throw new IllegalArgumentException("expected another type");
    }
    return type.cast(value);
  }

  /** The value that begins at the current token. */
  private static @Nullable Object value(JsonParser json) throws IOException {
    JsonToken token = json.currentToken();
    if (token == JsonToken.START_OBJECT) {
      Map<String, @Nullable Object> fields = new LinkedHashMap<>();
      while (json.nextToken() != JsonToken.END_OBJECT) {
        String name = json.currentName();
        json.nextToken();
        fields.put(name, value(json));
      }
      return fields;
    } else if (token == JsonToken.START_ARRAY) {
      List<@Nullable Object> items = new ArrayList<>();
      while (json.nextToken() != JsonToken.END_ARRAY) {
        items.add(value(json));
      }
      return items;
    } else if (token == JsonToken.VALUE_NUMBER_INT || token == JsonToken.VALUE_NUMBER_FLOAT) {
      return json.getNumberValue();
    } else if (token == JsonToken.VALUE_TRUE || token == JsonToken.VALUE_FALSE) {
      return json.getBooleanValue();
    }
    return token == JsonToken.VALUE_NULL ? null : json.getText();
  }
}
