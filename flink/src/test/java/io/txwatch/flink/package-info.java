/** Tests of the job, on Flink's mini-cluster and a real broker. */
package io.txwatch.flink;
