package io.txwatch.page;

import io.txwatch.anomaly.Anomaly;
import io.txwatch.history.Ids;
import io.txwatch.report.AnomalyGroups.Group;
import io.txwatch.report.JsonReport;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;

/**
 * The server-sent events of one page: first its names, then whatever differs from what the page
 * has. It compares the present results with what it sent, so a page that reads slowly skips
 * intermediate states and nobody waits for it.
 */
final class EventStream {

  /** Identifies a group: by the first of its anomalies, which never changes. */
  private record Key(String phenomenon, List<String> transactions) {
    static Key of(Anomaly anomaly) {
      return new Key(
          anomaly.phenomenon().name(),
          anomaly.transactions().stream().map(t -> Ids.display(t.id())).toList());
    }
  }

  /** What a page knows of a group, as far as it can change. */
  private record State(long count, long lastMicros) {}

  private final LiveSource source;
  private final OutputStream out;
  private final Map<Key, State> sent = new HashMap<>();

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
              json.writeStringField("source", source.name());
              PageJson.writeNames(json);
            }));
  }

  /** Sends what has changed. */
  void update() throws IOException {
    Set<Key> present = new HashSet<>();
    for (Group group : source.anomalies()) {
      Key key = Key.of(group.first());
      present.add(key);
      State state = new State(group.count(), group.lastMicros());
      if (!state.equals(sent.put(key, state))) {
        send(PageJson.line(json -> JsonReport.write(json, group)));
      }
    }
    for (Key key :
        sent.keySet().stream().filter(k -> !present.contains(k)).collect(Collectors.toSet())) {
      sent.remove(key);
      send(
          PageJson.object(
              "withdrawn",
              json -> {
                json.writeStringField("phenomenon", key.phenomenon());
                json.writeArrayFieldStart("transactions");
                for (String transaction : key.transactions()) {
                  json.writeString(transaction);
                }
                json.writeEndArray();
              }));
    }
    send(PageJson.status(source.figures()));
    out.flush();
  }

  private void send(String json) throws IOException {
    out.write(("data: " + json + "\n\n").getBytes(StandardCharsets.UTF_8));
  }
}
