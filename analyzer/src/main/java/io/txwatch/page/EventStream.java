package io.txwatch.page;

import io.txwatch.live.LiveSource;
import io.txwatch.report.AnomalyGroups.Group;
import io.txwatch.report.AnomalyId;
import io.txwatch.report.PredictedRaces;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/**
 * The server-sent events of one page: first its names, then whatever differs from what the page
 * has. It compares the present results with what it sent, so a page that reads slowly skips
 * intermediate states and no one waits for it.
 */
final class EventStream {

  /** What a page knows of a group, as far as it can change. */
  private record State(long count, long lastMicros, boolean accepted) {}

  private final LiveSource source;
  private final OutputStream out;
  private final Map<String, State> sent = new HashMap<>();
  private Optional<PredictedRaces> sentPredictions = Optional.empty();

  EventStream(LiveSource source, OutputStream out) {
    this.source = source;
    this.out = out;
  }

  /** Sends the names. */
  void start() throws IOException {
    send(
        PageJson.object(
            "hello",
            json -> {
              PageJson.writeNames(json);
            }));
  }

  /** Sends what has changed. */
  void update() throws IOException {
    Set<String> present = new HashSet<>();
    for (Group group : source.anomalies()) {
      String id = AnomalyId.of(group.first());
      present.add(id);
      State state = new State(group.count(), group.lastMicros(), group.accepted().isPresent());
      if (!state.equals(sent.put(id, state))) {
        send(PageJson.object("found", json -> PageJson.writeAnomaly(json, group)));
      }
    }
    for (String id : List.copyOf(sent.keySet())) {
      if (!present.contains(id)) {
        sent.remove(id);
        send(PageJson.object("withdrawn", json -> json.writeStringField("id", id)));
      }
    }
    Optional<PredictedRaces> predicted = source.predicted();
    if (predicted.isPresent() && !predicted.equals(sentPredictions)) {
      sentPredictions = predicted;
      send(
          PageJson.object(
              "predicted",
              json -> {
                json.writeFieldName("predicted");
                PageJson.writePredicted(json, predicted.get());
              }));
    }
    send(PageJson.status(source));
    out.flush();
  }

  private void send(String json) throws IOException {
    out.write(("data: " + json + "\n\n").getBytes(StandardCharsets.UTF_8));
  }
}
