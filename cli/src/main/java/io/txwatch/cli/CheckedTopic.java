package io.txwatch.cli;

import io.txwatch.link.KafkaJar;
import io.txwatch.link.TopicAddress;
import io.txwatch.link.TopicConnector;
import io.txwatch.link.TopicInput;
import io.txwatch.link.TopicReader;
import io.txwatch.settings.Settings;
import java.io.IOException;
import java.util.Properties;

/** Opens topics of Kafka that commands read: {@code kafka://HOST:PORT/TOPIC}. */
final class CheckedTopic {

  private CheckedTopic() {}

  /** Parses a topic's URL. */
  static TopicAddress address(String url) {
    return TopicAddress.ofUrl(url)
        .orElseThrow(
            () ->
                CommandException.badInput(
                    "expected kafka://HOST:PORT[,HOST:PORT]/TOPIC, not '" + url + "'"));
  }

  /** Opens a topic for reading its present content. */
  static TopicReader open(String url) {
    return new TopicReader(address(url), input(url));
  }

  /** Opens a topic, with {@code txwatch.kafka-jar} and {@code txwatch.kafka-config}. */
  static TopicInput input(String url) {
    return open(url, TopicConnector::openInput);
  }

  /** Opens the topics whose names begin with that of the URL, in the same way. */
  static TopicInput inputs(String url) {
    return open(url, TopicConnector::openInputs);
  }

  private interface Opener {
    TopicInput open(TopicConnector connector, TopicAddress address, Properties options)
        throws IOException;
  }

  private static TopicInput open(String url, Opener opener) {
    TopicAddress address = address(url);
    Settings settings = Settings.ofUrlProperties(new Properties());
    TopicConnector connector;
    Properties options;
    try {
      connector = KafkaJar.load(settings);
      options = KafkaJar.options(settings);
    } catch (IOException e) {
      throw CommandException.badInput(url + ": " + e.getMessage());
    }
    try {
      return opener.open(connector, address, options);
    } catch (IOException e) {
      throw CommandException.unreachable(String.valueOf(e.getMessage()));
    }
  }
}
