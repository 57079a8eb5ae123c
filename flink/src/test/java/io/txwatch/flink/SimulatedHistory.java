package io.txwatch.flink;

import io.txwatch.analyzer.Analyzer;
import io.txwatch.anomaly.Anomaly;
import io.txwatch.dependency.Simulation;
import io.txwatch.guarantee.Judge;
import io.txwatch.history.Chunk;
import io.txwatch.history.Event;
import io.txwatch.link.TopicRecord;
import java.io.IOException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;

/**
 * The records of one history, each of whose sessions belongs to one of three processes.
 *
 * @param number of the history, which is in the name of its database
 * @param streams the records of each process, in order
 */
record SimulatedHistory(int number, List<List<TopicRecord>> streams) {

  private static final int PROCESSES = 3;
  private static final int SESSIONS = 4;
  private static final int ROWS = 3;
  private static final int MAX_TRANSACTIONS = 12;
  private static final int EVENTS_OF_RECORD = 3;
  private static final long BEGIN_MILLIS = 1_700_000_000_000L;
  private static final long MEMORY = 64 << 20;

  /** A random history of a simulated DBMS, which isolates badly or not at all. */
  static SimulatedHistory random(int number, long seed) {
    Random random = new Random(seed);
    Simulation.Mode[] modes = Simulation.Mode.values();
    Simulation.Mode mode = modes[random.nextInt(modes.length)];
    int transactions = 2 + random.nextInt(MAX_TRANSACTIONS - 1);
    // So that some histories are longer than what an analysis retains in any case.
    int maxMillis = 1 << random.nextInt(11);
    List<Event> events = Simulation.run(mode, random, SESSIONS, transactions, ROWS, true);
    return of(number, events, EVENTS_OF_RECORD, () -> random.nextInt(maxMillis));
  }

  /** The time between two events. */
  private interface Pause {
    int millis();
  }

  /** A recorded history: each event is in a record of its own, so that the order stays. */
  static SimulatedHistory recorded(int number, List<Event> events) {
    return of(number, events, 1, () -> 1);
  }

  private static SimulatedHistory of(
      int number, List<Event> events, int eventsOfRecord, Pause pause) {
    Map<Long, Process> processes = new LinkedHashMap<>();
    long now = BEGIN_MILLIS;
    for (Event event : events) {
      now += pause.millis();
      long client = number * (long) PROCESSES + Math.floorMod(event.session(), PROCESSES) + 1;
      Process process = processes.computeIfAbsent(client, id -> new Process(id, number));
      process.pending.add(event);
      if (process.pending.size() >= eventsOfRecord) {
        process.flush(TopicRecord.Kind.EVENTS, now);
      }
    }
    List<List<TopicRecord>> streams = new ArrayList<>();
    for (Process process : processes.values()) {
      process.flush(TopicRecord.Kind.EVENTS, now);
      process.flush(TopicRecord.Kind.END, now);
      streams.add(process.records);
    }
    return new SimulatedHistory(number, streams);
  }

  private static final class Process {
    private final long client;
    private final int number;
    private final List<TopicRecord> records = new ArrayList<>();
    private final List<Event> pending = new ArrayList<>();

    Process(long client, int number) {
      this.client = client;
      this.number = number;
    }

    void flush(TopicRecord.Kind kind, long now) {
      if (pending.isEmpty() && kind == TopicRecord.Kind.EVENTS) {
        return;
      }
      Chunk.Builder chunk = new Chunk.Builder("test", 1 << 10);
      pending.forEach(chunk::add);
      pending.clear();
      records.add(
          new TopicRecord(
              client,
              records.size() + (kind == TopicRecord.Kind.EVENTS ? 1 : 0),
              kind,
              now,
              "process " + client,
              place(number),
              chunk.take().bytes()));
    }
  }

  /** The number of the history that a record is of. */
  static int number(TopicRecord of) {
    return (int) ((of.client() - 1) / PROCESSES);
  }

  /** The name of the database of a history. */
  private static String place(int number) {
    return "history " + number;
  }

  /** All records in the order of their times. */
  List<TopicRecord> inOrder() {
    return streams.stream()
        .flatMap(List::stream)
        .map(one -> new TimedRecord(one.throughMillis(), one))
        .sorted(TimedRecord.ORDER)
        .map(TimedRecord::record)
        .toList();
  }

  /** The events of records. */
  static List<Event> events(List<TopicRecord> records) throws IOException {
    List<Event> events = new ArrayList<>();
    for (TopicRecord one : records) {
      events.addAll(Chunk.decode(one.value()));
    }
    return events;
  }

  /** The anomalies that {@code check} finds if it reads all records in the order of time. */
  List<Anomaly> checked() throws IOException {
    return checked(inOrder(), true);
  }

  /** The same, in another order, with or without those that are suspected at the end. */
  static List<Anomaly> checked(List<TopicRecord> records, boolean suspected) throws IOException {
    List<Anomaly> found = new ArrayList<>();
    try (Analyzer analyzer = new Analyzer(Judge.DBMS, found::add, MEMORY)) {
      analyzer.shared();
      analyzer.retain(0);
      events(records).forEach(analyzer::accept);
      if (suspected) {
        analyzer.suspectAll();
      }
    }
    return found;
  }
}
