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
 * @param compiling of these, those of the JVM's compilers: the sign of a JVM that is not warm yet
 * @param server processor seconds of everything else that was started, the server above all
 */
record Slice(
    long transactions,
    long retries,
    double seconds,
    Latencies latencies,
    double client,
    double compiling,
    double server) {

  /** The share of the compilers in what a warm JVM takes of the processors, at most. */
  private static final double WARM = 0.05;

  Slice(long transactions, long retries, double seconds, Latencies latencies) {
    this(transactions, retries, seconds, latencies, 0, 0, 0);
  }

  /** The same, with what it took of the processors. */
  Slice withProcessorTime(double ofClient, double ofCompilers, double ofServer) {
    return new Slice(transactions, retries, seconds, latencies, ofClient, ofCompilers, ofServer);
  }

  /** True if the JVM spent next to nothing on compiling. */
  boolean isWarm() {
    return compiling < WARM * client;
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
