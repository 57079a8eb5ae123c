package io.txwatch.bench.analysis;

import io.txwatch.history.EventSink;
import io.txwatch.history.QueueSink;
import io.txwatch.link.TcpProvider;
import io.txwatch.settings.Setting;
import io.txwatch.settings.Settings;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * Simulates a watched process. Arguments: port, rate, seconds, seconds to warm up, and its number.
 * It starts on a line of input, prints a line when it is warm, and at the end prints the time of
 * each commit that proves a lost update.
 */
final class TcpClient {

  private TcpClient() {}

  public static void main(String[] args) throws Exception {
    long rate = Long.parseLong(args[1]);
    int process = Integer.parseInt(args[4]);
    Settings settings =
        Settings.of(
            Map.of(
                Setting.ANALYZER,
                "tcp://127.0.0.1:" + args[0],
                Setting.SERVICE,
                "process " + process));
    Map<Long, Long> committed = new LinkedHashMap<>();
    try (EventSink queue =
        new QueueSink(settings.number(Setting.QUEUE), List.of(new TcpProvider().open(settings)))) {
      FixedRateLoad load = new FixedRateLoad(queue, process);
      System.out.println("ready");
      System.in.read();
      // A JVM that has just started compiles its code: the load increases in two steps.
      int warmUp = Integer.parseInt(args[3]);
      load.offer(rate / 4, warmUp / 2, (transaction, nanos) -> {});
      load.offer(rate, warmUp - warmUp / 2, (transaction, nanos) -> {});
      System.out.println("warm");
      load.offer(rate, Integer.parseInt(args[2]), committed::put);
      load.finish();
    }
    committed.forEach((transaction, nanos) -> System.out.println(transaction + " " + nanos));
  }
}
