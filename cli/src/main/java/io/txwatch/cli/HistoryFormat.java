package io.txwatch.cli;

import io.txwatch.history.Event;
import io.txwatch.history.HistoryReader;
import io.txwatch.history.Loss;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.function.Consumer;

/** The formats of histories that can be checked. */
enum HistoryFormat {
  /** What txwatch itself records. */
  TXWATCH("txwatch") {
    @Override
    List<Loss> read(Path file, Consumer<Event> events) throws IOException {
      try (HistoryReader reader = HistoryReader.open(file)) {
        reader.forEach(events);
        return reader.losses();
      }
    }
  };

  private final String id;

  HistoryFormat(String id) {
    this.id = id;
  }

  /**
   * Hands on the events of a file.
   *
   * @return what of it could not be delivered
   * @throws io.txwatch.history.HistoryFormatException if the file is of another format
   */
  abstract List<Loss> read(Path file, Consumer<Event> events) throws IOException;

  /**
   * The format of that name; with {@code auto} the only one there is.
   *
   * @throws CommandException if there is none
   */
  static HistoryFormat named(String name) {
    for (HistoryFormat format : values()) {
      if (format.id.equals(name) || name.equals("auto")) {
        return format;
      }
    }
    throw CommandException.badInput("--format: expected auto or txwatch, not '" + name + "'");
  }
}
