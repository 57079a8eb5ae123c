package io.txwatch.bench.overhead;

import java.util.Locale;

/**
 * The results of a slice of a run.
 *
 * @param transactions the number of completed transactions
 * @param retries the number of rollbacks by the DBMS that were followed by a retry
 * @param seconds the duration
 * @param latencies of the transactions, including retries
 * @param clientCpuSeconds CPU seconds of the application's JVM; 0 if not measured
 * @param compilerCpuSeconds the part of {@code clientCpuSeconds} that its compilers used: high in a
 *     JVM that is not warm
 * @param watcherCpuSeconds the part of {@code clientCpuSeconds} that threads of txwatch's own used
 * @param logCpuSeconds the part of {@code watcherCpuSeconds} for reading the DBMS's log, of all
 *     that it logged meanwhile
 * @param serverCpuSeconds CPU seconds of all other started processes, mainly the server
 */
record Slice(
    long transactions,
    long retries,
    double seconds,
    Latencies latencies,
    double clientCpuSeconds,
    double compilerCpuSeconds,
    double watcherCpuSeconds,
    double logCpuSeconds,
    double serverCpuSeconds) {

  /** The maximum share of the compilers in the CPU time of a warm JVM. */
  private static final double MAX_WARM_COMPILER_SHARE = 0.05;

  Slice(long transactions, long retries, double seconds, Latencies latencies) {
    this(transactions, retries, seconds, latencies, 0, 0, 0, 0, 0);
  }

  /** The same with the CPU time. */
  Slice withCpuTime(
      double ofClient, double ofCompilers, double ofWatchers, double ofLog, double ofServer) {
    return new Slice(
        transactions,
        retries,
        seconds,
        latencies,
        ofClient,
        ofCompilers,
        ofWatchers,
        ofLog,
        ofServer);
  }

  /** True if the JVM spent almost no CPU time on compiling. */
  boolean isWarm() {
    return compilerCpuSeconds < MAX_WARM_COMPILER_SHARE * clientCpuSeconds;
  }

  /** The CPU seconds per transaction, of client and server. */
  double cpuSecondsPerTransaction() {
    return (clientCpuSeconds + serverCpuSeconds) / transactions;
  }

  /** The CPU seconds per transaction that the client uses without its compilers. */
  double clientCpuSecondsPerTransaction() {
    return (clientCpuSeconds - compilerCpuSeconds) / transactions;
  }

  double throughput() {
    return transactions / seconds;
  }

  /** A single line, for {@link #parse}. */
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
