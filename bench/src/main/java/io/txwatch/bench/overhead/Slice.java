package io.txwatch.bench.overhead;

import java.util.Locale;

/**
 * What a slice of a run gave.
 *
 * @param transactions how many were completed
 * @param retries how many times one was rolled back by the DBMS and run again
 * @param seconds how long it took
 * @param latencies of the transactions, retries included
 * @param client processor seconds of the application's JVM; 0 if not measured
 * @param server processor seconds of everything else that was started, the server above all
 */
record Slice(
    long transactions,
    long retries,
    double seconds,
    Latencies latencies,
    double client,
    double server) {

  Slice(long transactions, long retries, double seconds, Latencies latencies) {
    this(transactions, retries, seconds, latencies, 0, 0);
  }

  /** The same, with what it took of the processors. */
  Slice withProcessorTime(double ofClient, double ofServer) {
    return new Slice(transactions, retries, seconds, latencies, ofClient, ofServer);
  }

  /** Processor seconds for a transaction, wherever spent. */
  double processorSeconds() {
    return (client + server) / transactions;
  }

  double throughput() {
    return transactions / seconds;
  }

  /** In one line, for {@link #parse}. */
  String format() {
    return String.format(
        Locale.ROOT, "%d %d %.6f %s", transactions, retries, seconds, latencies.format());
  }

  static Slice parse(String line) {
    String[] words = line.split(" ", -1);
    return new Slice(
        Long.parseLong(words[0]),
        Long.parseLong(words[1]),
        Double.parseDouble(words[2]),
        Latencies.parse(words[3]));
  }
}
