/**
 * Histories in topics of Kafka, on Kafka's own client. {@link io.txwatch.link.KafkaJar} loads it by
 * name, in a class loader of its own.
 */
@NullMarked
package io.txwatch.kafka;

import org.jspecify.annotations.NullMarked;
