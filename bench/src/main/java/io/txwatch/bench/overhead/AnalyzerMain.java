package io.txwatch.bench.overhead;

import io.txwatch.anomaly.Anomaly;
import io.txwatch.baseline.Baseline;
import io.txwatch.dependency.Granularity;
import io.txwatch.guarantee.Judge;
import io.txwatch.history.HistoryWriter;
import io.txwatch.link.Address;
import io.txwatch.serve.AnalysisServer;
import io.txwatch.serve.ServerListener;
import io.txwatch.serve.ServerOptions;
import io.txwatch.stale.Across;
import java.util.Optional;

/** A shared analyzer in a JVM of its own. It prints its port and ends with its input. */
final class AnalyzerMain {

  private AnalyzerMain() {}

  public static void main(String[] args) throws Exception {
    ServerListener listener =
        new ServerListener() {
          @Override
          public void found(Anomaly anomaly, boolean replayed) {
            // It is not the analyzer's output that is measured.
          }

          @Override
          public void log(String line) {
            System.err.println(line);
          }
        };
    try (AnalysisServer server =
        AnalysisServer.open(
            new ServerOptions(
                new Address(false, "127.0.0.1", 0),
                Optional.empty(),
                "",
                Optional.empty(),
                HistoryWriter.MAX_FILE_BYTES,
                Judge.DBMS,
                Granularity.DEFAULT,
                Across.OFF,
                Baseline.NONE,
                ServerOptions.GRACE,
                ServerOptions.SILENCE,
                Runtime.getRuntime().maxMemory() / 2),
            listener)) {
      System.out.println(server.address().getPort());
      while (System.in.read() >= 0) {
        // until the process that started it ends
      }
    }
  }
}
