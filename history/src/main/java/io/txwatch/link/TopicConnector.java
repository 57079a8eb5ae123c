package io.txwatch.link;

import java.io.IOException;
import java.util.Properties;

/**
 * Opens topics of a message broker. The module {@code kafka} implements it on Kafka's own client;
 * {@link KafkaJar} loads it by name, so that neither is in an application's class path.
 */
public interface TopicConnector {

  /**
   * Opens a topic for writing. May block; need not connect.
   *
   * @param options of the broker's client, by its own names
   * @throws IOException if the options are not valid or no broker's name can be resolved
   */
  TopicOutput openOutput(TopicAddress address, Properties options) throws IOException;

  /**
   * Opens a topic for reading, from its first record.
   *
   * @param options of the broker's client, by its own names
   * @throws IOException if the topic cannot be read; the message states why
   */
  TopicInput openInput(TopicAddress address, Properties options) throws IOException;

  /**
   * Opens the topic of a name, and all whose names begin with it and a dot, for reading, from their
   * first records.
   *
   * @param options of the broker's client, by its own names
   * @throws IOException if there are none, or they cannot be read; the message states why
   */
  TopicInput openInputs(TopicAddress prefix, Properties options) throws IOException;
}
