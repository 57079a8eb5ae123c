package io.txwatch.kafka;

import io.txwatch.link.TopicAddress;
import io.txwatch.link.TopicConnector;
import io.txwatch.link.TopicInput;
import io.txwatch.link.TopicOutput;
import java.io.IOException;
import java.util.Properties;
import org.apache.kafka.common.KafkaException;

/** Opens topics of Kafka. {@link io.txwatch.link.KafkaJar} creates it by its name. */
public final class KafkaConnector implements TopicConnector {

  public KafkaConnector() {}

  @Override
  public TopicOutput openOutput(TopicAddress address, Properties options) throws IOException {
    try {
      return ContextLoader.with(() -> new KafkaOutput(address, options));
    } catch (KafkaException e) {
      throw new IOException(message(e), e);
    }
  }

  @Override
  public TopicInput openInput(TopicAddress address, Properties options) throws IOException {
    return open(address, options, false);
  }

  @Override
  public TopicInput openInputs(TopicAddress prefix, Properties options) throws IOException {
    return open(prefix, options, true);
  }

  private static TopicInput open(TopicAddress address, Properties options, boolean isPrefix)
      throws IOException {
    try {
      return ContextLoader.with(() -> KafkaInput.open(address, options, isPrefix));
    } catch (KafkaException e) {
      throw new IOException(address + ": " + message(e), e);
    }
  }

  /**
   * The message of a failure and of its cause: Kafka's client states the cause alone in the latter.
   * Values of its settings, which may be passwords, are left out. The client has the same message
   * for a broker that is not there and for a topic that is not.
   */
  static String message(Throwable e) {
    String own = e.getMessage() == null ? e.getClass().getSimpleName() : e.getMessage();
    if (own.contains("not present in metadata")) {
      own = "no broker answers, or none has the topic: " + own;
    }
    Throwable cause = e.getCause();
    String text = cause == null || cause == e ? own : own + ": " + message(cause);
    return text.replaceAll("\\p{Cntrl}+", " ")
        .replaceAll("Invalid value .* for configuration", "Invalid value for configuration");
  }
}
