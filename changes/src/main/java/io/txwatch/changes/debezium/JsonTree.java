package io.txwatch.changes.debezium;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonToken;
import java.io.IOException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * JSON as maps, lists, texts, booleans and numbers: {@link Integer}, {@link Long}, {@link
 * java.math.BigInteger}, or {@link java.math.BigDecimal} if it has a fraction, so that no digit is
 * lost.
 */
final class JsonTree {

  private static final JsonFactory FACTORY = new JsonFactory();

  private JsonTree() {}

  /**
   * Reads one value.
   *
   * @throws IOException if the bytes are not JSON, or more than one value
   */
  static @Nullable Object read(byte[] bytes) throws IOException {
    try (JsonParser json = FACTORY.createParser(bytes)) {
      if (json.nextToken() == null) {
        throw new IOException("nothing instead of JSON");
      }
      Object value = value(json);
      if (json.nextToken() != null) {
        throw new IOException("more than one value");
      }
      return value;
    }
  }

  private static @Nullable Object value(JsonParser json) throws IOException {
    JsonToken token = json.currentToken();
    return switch (token) {
      case START_OBJECT -> {
        Map<String, @Nullable Object> fields = new LinkedHashMap<>();
        while (json.nextToken() != JsonToken.END_OBJECT) {
          String name = json.currentName();
          json.nextToken();
          fields.put(name, value(json));
        }
        yield fields;
      }
      case START_ARRAY -> {
        List<@Nullable Object> items = new ArrayList<>();
        while (json.nextToken() != JsonToken.END_ARRAY) {
          items.add(value(json));
        }
        yield items;
      }
      case VALUE_STRING -> json.getText();
      case VALUE_NUMBER_INT -> json.getNumberValue();
      case VALUE_NUMBER_FLOAT -> json.getDecimalValue();
      case VALUE_TRUE -> true;
      case VALUE_FALSE -> false;
      case VALUE_NULL -> null;
      default -> throw new IOException("not JSON: " + token);
    };
  }

  /** A field of an object; null if it has none, or is no object. */
  static @Nullable Object get(@Nullable Object object, String field) {
    return object instanceof Map<?, ?> fields ? fields.get(field) : null;
  }

  static @Nullable String text(@Nullable Object object, String field) {
    return get(object, field) instanceof String text ? text : null;
  }

  static long number(@Nullable Object object, String field, long otherwise) {
    return get(object, field) instanceof Number number ? number.longValue() : otherwise;
  }
}
