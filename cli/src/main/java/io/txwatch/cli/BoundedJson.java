package io.txwatch.cli;

import com.fasterxml.jackson.core.JsonGenerator;
import io.txwatch.report.JsonReport;
import java.io.IOException;
import java.io.StringWriter;
import java.io.UncheckedIOException;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** JSON of a bounded length: of what is longer, texts and lists are cut, which it states. */
final class BoundedJson {

  /** About ten thousand tokens of a language model. */
  static final int MAX_LENGTH = 30_000;

  /** How texts and lists are cut, the first that makes the whole short enough. */
  private static final int[][] CUTS = {{4_000, 200}, {1_000, 50}, {300, 20}, {150, 8}, {80, 4}};

  private final int maxText;
  private final int maxItems;

  private BoundedJson(int maxText, int maxItems) {
    this.maxText = maxText;
    this.maxItems = maxItems;
  }

  /** A tree of maps, lists, texts, numbers and booleans as JSON. */
  static String of(Object value) {
    String text = "";
    for (int[] cut : CUTS) {
      text = new BoundedJson(cut[0], cut[1]).text(value);
      if (text.length() <= MAX_LENGTH) {
        return text;
      }
    }
    throw CommandException.badInput(
        "the answer has " + text.length() + " characters even if it is cut: narrow the question");
  }

  private String text(Object value) {
    StringWriter out = new StringWriter();
    try (JsonGenerator json = JsonReport.generator(out)) {
      write(json, value);
    } catch (IOException e) {
      throw new UncheckedIOException("writing to memory", e);
    }
    return out.toString();
  }

  private void write(JsonGenerator json, @Nullable Object value) throws IOException {
    if (value instanceof Map<?, ?> map) {
      json.writeStartObject();
      for (Map.Entry<?, ?> field : map.entrySet()) {
        json.writeFieldName(String.valueOf(field.getKey()));
        write(json, field.getValue());
      }
      json.writeEndObject();
    } else if (value instanceof List<?> list) {
      json.writeStartArray();
      for (Object item : list.subList(0, Math.min(maxItems, list.size()))) {
        write(json, item);
      }
      if (list.size() > maxItems) {
        json.writeString("… and " + (list.size() - maxItems) + " more");
      }
      json.writeEndArray();
    } else if (value instanceof String text && text.length() > maxText) {
      json.writeString(text.substring(0, maxText) + "… (" + text.length() + " characters)");
    } else {
      json.writePOJO(value);
    }
  }
}
