package io.txwatch.cli;

import io.txwatch.changes.debezium.DebeziumDecoder;
import io.txwatch.changes.debezium.DebeziumJoin;
import io.txwatch.changes.debezium.DebeziumTransactions;
import io.txwatch.changes.debezium.SchemaRegistry;
import io.txwatch.changes.debezium.SchemaRegistryException;
import io.txwatch.history.Event;
import io.txwatch.history.ValueHash;
import io.txwatch.link.TopicAddress;
import io.txwatch.link.TopicInput;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.Reader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.List;
import java.util.function.Consumer;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * The changes that {@code check --changes} joins with histories: Debezium's topics in Kafka, or
 * files of their records. They are read once, and held in memory.
 */
final class DebeziumInput {

  private static final long POLL_MILLIS = 200;

  /** Characters; a broker takes records of 1 MiB unless it is configured otherwise. */
  private static final int MAX_LINE = 16 << 20;

  private final String from;
  private final ValueHash hash;
  private final DebeziumDecoder decoder;
  private final DebeziumTransactions transactions = new DebeziumTransactions();

  private DebeziumInput(String from, ValueHash hash, @Nullable SchemaRegistry registry) {
    this.from = from;
    this.hash = hash;
    this.decoder = new DebeziumDecoder(registry);
  }

  /**
   * Reads changes.
   *
   * @param from a file, a directory of files, or {@code kafka://HOST:PORT/PREFIX}
   * @param key {@code txwatch.value-key} of the processes that recorded the histories
   * @param registry has the schemas of records in Avro; null if there is none
   */
  static DebeziumInput read(String from, String key, @Nullable SchemaRegistry registry)
      throws IOException {
    DebeziumInput input = new DebeziumInput(from, ValueHash.ofKeyText(key), registry);
    try {
      if (from.startsWith(TopicAddress.SCHEME)) {
        input.readTopics();
      } else {
        for (Path file : files(Path.of(from))) {
          input.readFile(file);
        }
      }
    } catch (SchemaRegistryException e) {
      String message = String.valueOf(e.getMessage());
      throw e.isUnreachable()
          ? CommandException.unreachable(message)
          : CommandException.badInput(message);
    }
    return input;
  }

  /** Those of a directory whose names begin with a dot are left out. */
  private static List<Path> files(Path path) throws IOException {
    if (!Files.isDirectory(path)) {
      if (!Files.exists(path)) {
        throw new NoSuchFileException(path.toString());
      }
      return List.of(path);
    }
    try (Stream<Path> all = Files.list(path)) {
      List<Path> files =
          all.filter(Files::isRegularFile)
              .filter(file -> !file.getFileName().toString().startsWith("."))
              .sorted()
              .toList();
      if (files.isEmpty()) {
        throw CommandException.badInput(path + ": the directory contains no file");
      }
      return files;
    }
  }

  /** Without its key a record does not state which columns are the row's key. */
  private void readFile(Path file) throws IOException {
    try (BufferedReader lines = Files.newBufferedReader(file)) {
      int number = 1;
      for (String line = line(lines, file, number);
          line != null;
          line = line(lines, file, ++number)) {
        if (line.isBlank()) {
          continue;
        }
        int tab = line.indexOf('\t');
        if (tab < 0) {
          throw CommandException.badInput(
              file
                  + ", line "
                  + number
                  + ": expected a record's key, a tab and its value, as kafka-console-consumer"
                  + " prints them with print.key=true");
        }
        String value = line.substring(tab + 1);
        transactions.add(
            decoder.decode(
                file.toString(),
                bytes(line.substring(0, tab)),
                value.equals("null") ? null : bytes(value)));
      }
    }
  }

  /** The next line, without its end; null after the last one. */
  private static @Nullable String line(Reader file, Path name, int number) throws IOException {
    StringBuilder line = new StringBuilder();
    int next = file.read();
    if (next < 0) {
      return null;
    }
    for (; next >= 0 && next != '\n'; next = file.read()) {
      if (line.length() == MAX_LINE) {
        throw CommandException.badInput(
            name
                + ", line "
                + number
                + ": it has more than "
                + MAX_LINE
                + " characters, expected a record of Kafka");
      }
      line.append((char) next);
    }
    int last = line.length() - 1;
    if (last >= 0 && line.charAt(last) == '\r') {
      line.setLength(last);
    }
    return line.toString();
  }

  private static byte[] bytes(String text) {
    return text.getBytes(StandardCharsets.UTF_8);
  }

  private void readTopics() throws IOException {
    try (TopicInput topics = CheckedTopic.inputs(from)) {
      while (!topics.isAtEnd()) {
        for (TopicInput.Received next : topics.poll(POLL_MILLIS)) {
          transactions.add(decoder.decode(next.topic(), next.key(), next.value()));
        }
      }
    }
  }

  /** Passes on the events of a history, joined with the changes. */
  void join(String name, List<Event> history, Consumer<? super Event> out) {
    try {
      DebeziumJoin.join(history, transactions, hash, out);
    } catch (IllegalArgumentException e) {
      throw CommandException.badInput(
          name + " cannot be joined with " + from + ": " + e.getMessage());
    }
  }
}
