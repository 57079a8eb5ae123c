package io.txwatch.link;

import io.txwatch.history.EventSink;
import io.txwatch.history.EventSinkProvider;
import io.txwatch.settings.Setting;
import io.txwatch.settings.Settings;
import java.io.IOException;

/** Writes histories to a topic of Kafka: {@code txwatch.analyzer=kafka://HOST:PORT/TOPIC}. */
public final class KafkaProvider implements EventSinkProvider {

  public KafkaProvider() {}

  @Override
  public String name() {
    return "kafka";
  }

  @Override
  public EventSink open(Settings settings) throws IOException {
    String url = settings.get(Setting.ANALYZER);
    TopicAddress address =
        TopicAddress.ofUrl(url)
            .orElseThrow(
                () ->
                    new IOException(
                        Setting.ANALYZER.key() + "=" + url + ": expected kafka://HOST:PORT/TOPIC"));
    return new TopicSink(
        address,
        KafkaJar.load(settings),
        KafkaJar.options(settings),
        (long) settings.number(Setting.BUFFER) << 20,
        settings.get(Setting.SERVICE),
        line -> System.err.println("txwatch: " + line));
  }
}
