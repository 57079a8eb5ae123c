package io.txwatch.interleave.service;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonGenerator;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.core.JsonToken;
import io.txwatch.interleave.Interleaved;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** Messages as JSON: an object whose values are texts, numbers, booleans and lists of texts. */
final class MessageJson {

  private static final JsonFactory FACTORY =
      new JsonFactory().enable(JsonParser.Feature.STRICT_DUPLICATE_DETECTION);

  private MessageJson() {}

  static byte[] write(GateMessage message) throws IOException {
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    try (JsonGenerator json = FACTORY.createGenerator(bytes)) {
      json.writeStartObject();
      json.writeStringField("type", message.getClass().getSimpleName());
      if (message instanceof GateMessage.Run run) {
        json.writeNumberField("version", run.version());
        json.writeStringField("token", run.token());
        writeTexts(json, "operations", run.operations());
        json.writeNumberField("preemptions", run.preemptions());
        json.writeNumberField("executions", run.executions());
        json.writeBooleanField("hasReset", run.hasReset());
      } else if (message instanceof GateMessage.Request request) {
        json.writeNumberField("number", request.number());
        json.writeNumberField("operation", request.operation());
      } else if (message instanceof GateMessage.Reset reset) {
        json.writeNumberField("number", reset.number());
      } else if (message instanceof GateMessage.Answer answer) {
        json.writeNumberField("number", answer.number());
        json.writeStringField("result", answer.result());
        json.writeStringField("error", answer.error());
      } else if (message instanceof GateMessage.Found last) {
        Interleaved found = last.found();
        json.writeStringField("verdict", found.verdict().name());
        json.writeStringField("reason", found.reason());
        json.writeStringField("bound", found.bound());
        json.writeNumberField("executions", found.executions());
        writeTexts(json, "schedule", found.schedule());
        writeTexts(json, "notes", found.notes());
        json.writeStringField("phenomenon", last.phenomenon());
      } else if (message instanceof GateMessage.Refused refused) {
        json.writeStringField("reason", refused.reason());
        json.writeBooleanField("isInput", refused.isInput());
      }
      json.writeEndObject();
    }
    return bytes.toByteArray();
  }

  private static void writeTexts(JsonGenerator json, String name, List<String> texts)
      throws IOException {
    json.writeArrayFieldStart(name);
    for (String text : texts) {
      json.writeString(text);
    }
    json.writeEndArray();
  }

  /**
   * Reads a message.
   *
   * @throws IOException if it is none
   */
  static GateMessage read(byte[] line) throws IOException {
    Fields fields = new Fields(values(line));
    return switch (fields.text("type")) {
      case "Run" ->
          new GateMessage.Run(
              fields.number("version"),
              fields.text("token"),
              fields.texts("operations"),
              fields.number("preemptions"),
              fields.number("executions"),
              fields.isTrue("hasReset"));
      case "Request" ->
          new GateMessage.Request(fields.number("number"), fields.number("operation"));
      case "Reset" -> new GateMessage.Reset(fields.number("number"));
      case "Answer" ->
          new GateMessage.Answer(
              fields.number("number"), fields.text("result"), fields.text("error"));
      case "Found" -> new GateMessage.Found(found(fields), fields.text("phenomenon"));
      case "Refused" -> new GateMessage.Refused(fields.text("reason"), fields.isTrue("isInput"));
      default -> throw malformed();
    };
  }

  private static Interleaved found(Fields fields) throws IOException {
    Interleaved.Verdict verdict;
    try {
      verdict = Interleaved.Verdict.valueOf(fields.text("verdict"));
    } catch (IllegalArgumentException e) {
      throw malformed();
    }
    return new Interleaved(
        verdict,
        fields.text("reason"),
        fields.text("bound"),
        fields.number("executions"),
        fields.texts("schedule"),
        List.of(),
        fields.texts("notes"));
  }

  private static IOException malformed() {
    return new IOException("expected a message of txwatch, found something else");
  }

  private static Map<String, Object> values(byte[] line) throws IOException {
    Map<String, Object> values = new HashMap<>();
    try (JsonParser json = FACTORY.createParser(line)) {
      if (json.nextToken() != JsonToken.START_OBJECT) {
        throw malformed();
      }
      while (json.nextToken() == JsonToken.FIELD_NAME) {
        String name = json.currentName();
        values.put(name, value(json, json.nextToken()));
      }
    } catch (JsonProcessingException e) {
      throw malformed();
    }
    return values;
  }

  private static Object value(JsonParser json, JsonToken token) throws IOException {
    return switch (token) {
      case VALUE_STRING -> json.getText();
      case VALUE_NUMBER_INT -> json.getIntValue();
      case VALUE_TRUE -> true;
      case VALUE_FALSE -> false;
      case START_ARRAY -> texts(json);
      default -> throw malformed();
    };
  }

  private static List<String> texts(JsonParser json) throws IOException {
    List<String> texts = new ArrayList<>();
    while (json.nextToken() == JsonToken.VALUE_STRING) {
      texts.add(json.getText());
    }
    if (json.currentToken() != JsonToken.END_ARRAY) {
      throw malformed();
    }
    return texts;
  }

  /** The values of an object, of the types that are expected. */
  private record Fields(Map<String, Object> values) {

    String text(String name) throws IOException {
      return get(name, String.class);
    }

    int number(String name) throws IOException {
      return get(name, Integer.class);
    }

    boolean isTrue(String name) throws IOException {
      return get(name, Boolean.class);
    }

    List<String> texts(String name) throws IOException {
      if (values.get(name) instanceof List<?> texts) {
        return texts.stream().map(String.class::cast).toList();
      }
      throw malformed();
    }

    private <T> T get(String name, Class<T> type) throws IOException {
      Object value = values.get(name);
      if (!type.isInstance(value)) {
        throw malformed();
      }
      return type.cast(value);
    }
  }
}
