package io.txwatch.link;

import static org.assertj.core.api.Assertions.assertThat;

import io.txwatch.history.Event;
import io.txwatch.history.GapReason;
import io.txwatch.link.TopicOutput.Result;
import java.io.IOException;
import java.util.List;
import java.util.Properties;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.Test;

class TopicSinkTest {

  private static final TopicAddress ADDRESS =
      TopicAddress.ofUrl("kafka://127.0.0.1:9092/txwatch").orElseThrow();
  private static final Event EVENT = new Event.Gap(0, 0, GapReason.FAULT, "test", 1);
  private static final String NOT_THERE = "Topic txwatch not present in metadata after 2000 ms.";

  private final List<String> lines = new CopyOnWriteArrayList<>();

  /** A topic whose first records fail, as many as that, at once and not after two seconds. */
  private static class Topic implements TopicConnector, TopicOutput {

    private final ConcurrentLinkedQueue<TopicRecord> written = new ConcurrentLinkedQueue<>();
    private int failing;

    Topic(int failing) {
      this.failing = failing;
    }

    @Override
    public TopicOutput openOutput(TopicAddress address, Properties options) throws IOException {
      return this;
    }

    @Override
    public synchronized void send(TopicRecord next, Callback callback) {
      if (failing > 0) {
        failing--;
        callback.done(Result.FAILED, NOT_THERE);
      } else {
        written.add(next);
        callback.done(Result.WRITTEN, "");
      }
    }

    @Override
    public void close() {}

    @Override
    public TopicInput openInput(TopicAddress address, Properties options) {
      throw new UnsupportedOperationException();
    }

    @Override
    public TopicInput openInputs(TopicAddress prefix, Properties options) {
      throw new UnsupportedOperationException();
    }
  }

  private TopicSink sink(TopicConnector connector) {
    return new TopicSink(ADDRESS, connector, new Properties(), 1 << 20, "test", lines::add);
  }

  @Test
  void topicThatIsBeingCreatedIsNotReported() {
    Topic topic = new Topic(3);
    TopicSink sink = sink(topic);
    sink.accept(EVENT);
    sink.close();

    assertThat(lines).isEmpty();
    assertThat(topic.written)
        .extracting(TopicRecord::kind)
        .containsExactly(TopicRecord.Kind.EVENTS, TopicRecord.Kind.END);
  }

  @Test
  void whatNeverArrivesIsReportedWithItsReason() {
    TopicSink sink = sink(new Topic(Integer.MAX_VALUE));
    sink.accept(EVENT);
    sink.close();

    assertThat(lines)
        .contains(
            "kafka://127.0.0.1:9092/txwatch: 1 events were not delivered (" + NOT_THERE + ")");
  }

  @Test
  void topicThatCannotBeOpenedIsReportedAtOnce() {
    TopicSink sink =
        sink(
            new Topic(0) {
              @Override
              public TopicOutput openOutput(TopicAddress address, Properties options)
                  throws IOException {
                throw new IOException("no such host");
              }
            });
    sink.accept(EVENT);
    sink.close();

    assertThat(lines)
        .containsExactly(
            "kafka://127.0.0.1:9092/txwatch is not to be reached (no such host); what happens"
                + " waits for it, up to txwatch.buffer",
            "kafka://127.0.0.1:9092/txwatch: 1 events were not delivered (no such host)");
  }
}
