package io.txwatch.flink;

/**
 * A record of one of Debezium's topics.
 *
 * @param topic its topic
 * @param millis when it was written, since 1970
 * @param key its key; empty if it has none
 * @param value its value; empty if it has none
 */
public record ConnectorRecord(String topic, long millis, byte[] key, byte[] value) {}
