package io.txwatch.cli;

import com.fasterxml.jackson.core.JsonProcessingException;
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
import java.util.List;
import java.util.Map;

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
    try (Reader in = new InputStreamReader(Files.newInputStream(file), StandardCharsets.UTF_8)) {
      JsonObject.read(in, predictions::accept);
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
      if (one.has("sameOrderAs")) {
        return; // the race that it belongs to comes before it
      }
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
        one.optionalText("phenomenon").map(Phenomenon::valueOf),
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
}
