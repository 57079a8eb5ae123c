/**
 * The analysis of histories in a topic of Kafka as a job of Flink: the same analyzer as in one
 * process, one for each database.
 */
@NullMarked
package io.txwatch.flink;

import org.jspecify.annotations.NullMarked;
