package io.txwatch.cli;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.core.JsonToken;
import io.txwatch.anomaly.Phenomenon;
import io.txwatch.proof.RaceProof.Result;
import io.txwatch.report.PredictedRaces;
import io.txwatch.report.PredictedRaces.OrderedStatement;
import io.txwatch.report.PredictedRaces.PredictedOperation;
import io.txwatch.report.PredictedRaces.Race;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.Reader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Reads what {@code predict} writes: an object for each candidate, and a last one. */
final class PredictionReader {

  /** Its name in the directory of {@code --out}. */
  static final String NAME = "predictions.jsonl";

  private final List<Race> confirmed = new ArrayList<>();
  private final Map<Result, Long> counts = new EnumMap<>(Result.class);
  private boolean isComplete;

  private PredictionReader() {}

  /** Reads a file, which has to be complete. */
  static PredictedRaces read(Path file) throws IOException {
    if (Files.isDirectory(file)) {
      throw CommandException.badInput("--predictions: " + file + " is a directory");
    }
    PredictionReader predictions = new PredictionReader();
    try (Reader in = new InputStreamReader(Files.newInputStream(file), StandardCharsets.UTF_8);
        JsonParser json = new JsonFactory().createParser(in)) {
      while (json.nextToken() != null) {
        predictions.accept(new JsonObject(value(json)));
      }
    } catch (JsonProcessingException | IllegalArgumentException e) {
      predictions.isComplete = false;
    }
    if (!predictions.isComplete) {
      throw CommandException.badInput(
          "--predictions: "
              + file
              + " is not a complete "
              + NAME
              + ", which predict --out DIR writes");
    }
    return new PredictedRaces(
        predictions.confirmed,
        predictions.counts.getOrDefault(Result.REFUTED, 0L),
        predictions.counts.getOrDefault(Result.UNDECIDED, 0L));
  }

  private void accept(JsonObject one) {
    String type = one.text("type");
    if (type.equals("prediction")) {
      isComplete = false;
      Result result = Result.valueOf(one.text("result"));
      counts.merge(result, 1L, Long::sum);
      if (result == Result.CONFIRMED) {
        confirmed.add(race(one));
      }
    } else if (type.equals("predict")) {
      isComplete = true;
    }
  }

  private static Race race(JsonObject one) {
    return new Race(
        Phenomenon.valueOf(one.text("phenomenon")),
        one.text("dbms"),
        one.text("isolation").replace('_', ' '),
        one.objects("operations").stream()
            .map(
                operation ->
                    new PredictedOperation(
                        operation.text("name"),
                        operation.text("callSite"),
                        operation.number("seen")))
            .toList(),
        one.objects("order").stream()
            .map(step -> new OrderedStatement(step.text("session"), step.text("statement")))
            .toList(),
        one.objects("adviceTried").stream()
            .filter(tried -> tried.isTrue("removes"))
            .map(tried -> tried.text("advice"))
            .toList(),
        one.texts("assumptions").stream().map(PredictionReader::withoutValue).toList());
  }

  /** A sentence of {@code predict} without the recorded values, which come last in it. */
  private static String withoutValue(String assumption) {
    return assumption
        .replaceFirst(" (plus|minus) [0-9.]+$", " $1 ?")
        .replaceFirst(
            "(?s)^(T[0-9]+) is executed with (\\S+) .*",
            "$1 is executed with another $2 than it was observed with");
  }

  /** The value that begins at the current token. */
  private static @Nullable Object value(JsonParser json) throws IOException {
    JsonToken token = json.currentToken();
    if (token == JsonToken.START_OBJECT) {
      Map<String, @Nullable Object> fields = new HashMap<>();
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

  /** An object, whose fields have to be of the type that is expected. */
  private static final class JsonObject {

    private final Map<?, ?> fields;

    JsonObject(@Nullable Object value) {
      this.fields = require(Map.class, value);
    }

    String text(String name) {
      return require(String.class, fields.get(name));
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

    List<JsonObject> objects(String name) {
      return list(name).stream().map(JsonObject::new).toList();
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
  }
}
