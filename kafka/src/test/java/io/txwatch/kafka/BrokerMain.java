package io.txwatch.kafka;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Properties;
import kafka.server.KafkaConfig;
import kafka.server.KafkaRaftServer;
import kafka.tools.StorageTool;
import org.apache.kafka.common.Uuid;
import org.apache.kafka.common.utils.Time;

/** A broker in a JVM of its own, which ends when its standard input does. */
final class BrokerMain {

  private BrokerMain() {}

  /** The arguments: a directory, and the ports of the broker and of its controller. */
  public static void main(String[] args) throws Exception {
    Path directory = Path.of(args[0]);
    Properties config = new Properties();
    config.put("process.roles", "broker,controller");
    config.put("node.id", "1");
    config.put("controller.quorum.voters", "1@127.0.0.1:" + args[2]);
    config.put(
        "listeners", "PLAINTEXT://127.0.0.1:" + args[1] + ",CONTROLLER://127.0.0.1:" + args[2]);
    config.put("advertised.listeners", "PLAINTEXT://127.0.0.1:" + args[1]);
    config.put("controller.listener.names", "CONTROLLER");
    config.put("log.dirs", directory.resolve("log").toString());
    config.put("num.partitions", "4");
    config.put("offsets.topic.replication.factor", "1");
    config.put("transaction.state.log.replication.factor", "1");
    config.put("transaction.state.log.min.isr", "1");
    config.put("num.network.threads", "1");
    config.put("num.io.threads", "2");
    config.put("log.cleaner.enable", "false");
    // What is older than a week is deleted soon, and not only in tests that take long.
    config.put("log.retention.check.interval.ms", "500");
    config.put("log.initial.task.delay.ms", "500");
    // After it was killed, it is registered again once its session has ended, in about the time
    // that it takes to start. A shorter one ends while the machine is busy: then no topic has a
    // leader.
    config.put("broker.session.timeout.ms", "5000");
    config.put("broker.heartbeat.interval.ms", "500");
    Path file = directory.resolve("server.properties");
    if (!Files.exists(file)) {
      try (var out = Files.newOutputStream(file)) {
        config.store(out, null);
      }
      String[] format = {"format", "-t", Uuid.randomUuid().toString(), "-c", file.toString()};
      if (StorageTool.execute(format, System.err) != 0) {
        throw new IllegalStateException("the storage could not be formatted");
      }
    }
    new KafkaRaftServer(new KafkaConfig(config), Time.SYSTEM).startup();
    System.out.println("started");
    while (System.in.read() >= 0) {
      // until whoever started it ends
    }
    Runtime.getRuntime().halt(0);
  }
}
