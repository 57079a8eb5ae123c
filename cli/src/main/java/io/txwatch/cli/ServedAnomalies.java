package io.txwatch.cli;

import io.txwatch.analyzer.Analyzer;
import io.txwatch.anomaly.Anomaly;
import io.txwatch.guarantee.Judge;
import io.txwatch.history.Chunk;
import io.txwatch.link.TopicInput;
import io.txwatch.live.LiveSource;
import io.txwatch.report.AnomalyGroups;
import io.txwatch.report.AnomalyGroups.Group;
import io.txwatch.report.AnomalyId;
import io.txwatch.report.PredictedRaces;
import io.txwatch.slice.HistorySlice;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * The anomalies that the job of Flink writes to a topic, beside the results of an analyzer. Each
 * record has the anomaly's id as its key, and its {@linkplain HistorySlice slice} in a header; what
 * is shown is what an analyzer finds in it.
 */
final class ServedAnomalies implements LiveSource {

  private static final long POLL_MILLIS = 200;
  private static final long MEMORY_BYTES = 64 << 20;

  private final LiveSource results;
  private final TopicInput topic;
  private final Judge judge;
  private final Consumer<String> notes;

  /** Guarded by itself. */
  private final AnomalyGroups groups;

  /** Guarded by {@link #groups}. */
  private long count;

  private long unreadable;

  private ServedAnomalies(
      LiveSource results,
      TopicInput topic,
      Judge judge,
      AnomalyGroups groups,
      Consumer<String> notes) {
    this.results = results;
    this.topic = topic;
    this.judge = judge;
    this.groups = groups;
    this.notes = notes;
  }

  /**
   * Begins to read.
   *
   * @param topic is read from its start, by a thread that ends when it can no longer be read
   * @param groups receives the anomalies
   * @param notes receives a line if records are skipped, or the topic can no longer be read
   */
  static ServedAnomalies open(
      LiveSource results,
      TopicInput topic,
      Judge judge,
      AnomalyGroups groups,
      Consumer<String> notes) {
    ServedAnomalies served = new ServedAnomalies(results, topic, judge, groups, notes);
    Thread reader = new Thread(null, served::read, "txwatch-anomalies", 0, false);
    reader.setDaemon(true);
    reader.start();
    return served;
  }

  private void read() {
    try (topic) {
      while (true) {
        topic.poll(POLL_MILLIS).forEach(this::accept);
      }
    } catch (IOException e) {
      notes.accept("--anomalies: " + e.getMessage() + "; no more anomalies of it are shown");
    }
  }

  private void accept(TopicInput.Received received) {
    Anomaly anomaly = anomaly(received.key(), received.headers().get(HistorySlice.HEADER));
    if (anomaly == null) {
      if (unreadable++ == 0) {
        notes.accept(
            "--anomalies: "
                + received.position()
                + ": not an anomaly that the job of Flink has written, or too large for the page;"
                + " such records are skipped");
      }
      return;
    }
    synchronized (groups) {
      groups.add(anomaly);
      count++;
    }
  }

  /** What a slice contains; null if that is not the anomaly of that id. */
  private @Nullable Anomaly anomaly(byte @Nullable [] id, byte @Nullable [] slice) {
    if (id == null || slice == null) {
      return null;
    }
    List<Anomaly> found = new ArrayList<>();
    try (Analyzer analyzer = new Analyzer(judge, found::add, MEMORY_BYTES)) {
      Chunk.decode(slice).forEach(analyzer::accept);
      analyzer.suspectAll();
    } catch (IOException e) {
      return null;
    }
    String wanted = new String(id, StandardCharsets.UTF_8);
    return found.stream()
        .filter(each -> AnomalyId.of(each).equals(wanted))
        .findFirst()
        .orElse(null);
  }

  @Override
  public String name() {
    return results.name();
  }

  @Override
  public List<Group> anomalies() {
    List<Group> all = new ArrayList<>(results.anomalies());
    Set<String> known = new HashSet<>();
    all.forEach(group -> known.add(AnomalyId.of(group.first())));
    synchronized (groups) {
      groups.groups().stream()
          .filter(group -> known.add(AnomalyId.of(group.first())))
          .forEach(all::add);
    }
    return all;
  }

  @Override
  public Figures figures() {
    Figures figures = results.figures();
    long written;
    synchronized (groups) {
      written = count;
    }
    return new Figures(
        figures.coverage(),
        figures.anomalies() + written,
        figures.sessions(),
        figures.graphBytes(),
        figures.dropped());
  }

  @Override
  public Optional<PredictedRaces> predicted() {
    return results.predicted();
  }

  @Override
  public Optional<String> statusJson() {
    return results.statusJson();
  }
}
