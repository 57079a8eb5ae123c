package io.txwatch.flink;

import io.txwatch.history.Chunk;
import io.txwatch.history.Event;
import io.txwatch.history.GapReason;
import io.txwatch.link.TopicStreams;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * What an analysis that begins in the middle must know of the records before: how far each stream
 * was followed, the open sessions, and that events are missing.
 */
final class AnalysisStart {

  private static final int USUAL_BYTES = 1 << 12;

  private final TopicStreams streams = new TopicStreams();

  /** By session, its opening and what is known of its connection. */
  private final Map<Long, List<Event>> sessions = new LinkedHashMap<>();

  /** A gap for each reason for which events were missing. */
  private final Map<GapReason, Event> gaps = new EnumMap<>(GapReason.class);

  /** The last share of each session of which rows were omitted. */
  private final Map<Long, Event> shares = new LinkedHashMap<>();

  /** Moves the start behind a record. */
  void pass(TimedRecord timed) {
    TopicStreamsInput.accept(streams, timed.record(), this::track);
  }

  private void track(Event event) {
    if (event instanceof Event.SessionOpened) {
      sessions.computeIfAbsent(event.session(), id -> new ArrayList<>()).add(event);
    } else if (event instanceof Event.SessionIdentified || event instanceof Event.WritesStated) {
      List<Event> known = sessions.get(event.session());
      if (known != null) {
        known.add(event);
      }
    } else if (event instanceof Event.SessionClosed) {
      sessions.remove(event.session());
      shares.remove(event.session());
    } else if (event instanceof Event.RowsShed shed) {
      shares.put(event.session(), new Event.RowsShed(shed.session(), shed.share(), 0, 0));
    } else if (event instanceof Event.Gap gap) {
      // Of which transaction does not matter: it is over.
      gaps.put(gap.reason(), new Event.Gap(0, 0, gap.reason(), gap.detail(), 1));
    }
  }

  /** The events that an analyzer must receive first. */
  List<Event> events() {
    List<Event> all = new ArrayList<>();
    sessions.values().forEach(all::addAll);
    all.addAll(shares.values());
    all.addAll(gaps.values());
    return all;
  }

  /** Streams that continue from here. */
  TopicStreams streams() {
    TopicStreams copy = new TopicStreams();
    streams.progress().forEach(copy::resume);
    return copy;
  }

  /** Encodes it. */
  byte[] bytes() {
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    try (DataOutputStream out = new DataOutputStream(bytes)) {
      write(out, streams);
      Chunk.Builder chunk = new Chunk.Builder("txwatch-flink", USUAL_BYTES);
      events().forEach(chunk::add);
      out.write(chunk.take().bytes());
    } catch (IOException e) {
      throw new IllegalStateException(e); // nothing is written outside the memory
    }
    return bytes.toByteArray();
  }

  /**
   * Decodes it.
   *
   * @throws IOException if it was written by an incompatible version
   */
  static AnalysisStart of(byte[] bytes) throws IOException {
    AnalysisStart start = new AnalysisStart();
    try (DataInputStream in = new DataInputStream(new ByteArrayInputStream(bytes))) {
      read(in, start.streams);
      Chunk.decode(in.readAllBytes()).forEach(start::track);
    }
    return start;
  }

  /** Encodes how far streams were followed. */
  static void write(DataOutputStream out, TopicStreams streams) throws IOException {
    List<TopicStreams.Progress> progress = streams.progress();
    out.writeInt(progress.size());
    for (TopicStreams.Progress stream : progress) {
      out.writeLong(stream.client());
      out.writeUTF(stream.service());
      out.writeLong(stream.last());
      out.writeBoolean(stream.ended());
      out.writeInt(stream.sessions().size());
      for (long session : stream.sessions()) {
        out.writeLong(session);
      }
    }
  }

  /** Continues streams from there. */
  static void read(DataInputStream in, TopicStreams streams) throws IOException {
    for (int count = in.readInt(); count > 0; count--) {
      long client = in.readLong();
      String service = in.readUTF();
      long last = in.readLong();
      boolean ended = in.readBoolean();
      Set<Long> open = new HashSet<>();
      for (int left = in.readInt(); left > 0; left--) {
        open.add(in.readLong());
      }
      streams.resume(new TopicStreams.Progress(client, service, last, ended, open));
    }
  }
}
