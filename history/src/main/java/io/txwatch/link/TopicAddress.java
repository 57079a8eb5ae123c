package io.txwatch.link;

import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * The address of a topic of Kafka that contains histories: {@code kafka://HOST:PORT/TOPIC}.
 *
 * @param brokers some of the cluster's brokers: {@code HOST:PORT}, separated by commas
 * @param topic the topic
 */
public record TopicAddress(String brokers, String topic) {

  /** How an address begins. */
  public static final String SCHEME = "kafka://";

  private static final Pattern URL =
      Pattern.compile("kafka://([^/,\\s:@]+:\\d{1,5}(?:,[^/,\\s:@]+:\\d{1,5})*)/([\\w.-]{1,249})");
  private static final Pattern URL_OF_IPV6 =
      Pattern.compile("kafka://(\\[[0-9a-fA-F:.]+]:\\d{1,5})/([\\w.-]{1,249})");

  /** Parses a URL; empty for any other text. */
  public static Optional<TopicAddress> ofUrl(String url) {
    for (Pattern pattern : new Pattern[] {URL, URL_OF_IPV6}) {
      Matcher found = pattern.matcher(url);
      if (found.matches()) {
        return Optional.of(new TopicAddress(found.group(1), found.group(2)));
      }
    }
    return Optional.empty();
  }

  @Override
  public String toString() {
    return SCHEME + brokers + "/" + topic;
  }
}
