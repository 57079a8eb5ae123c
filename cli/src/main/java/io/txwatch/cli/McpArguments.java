package io.txwatch.cli;

import io.txwatch.settings.ClosestMatch;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;

/**
 * The arguments of a call of a tool, which have to be those that the tool has. The methods throw
 * {@link CommandException} where they are not.
 */
final class McpArguments {

  private final Map<String, Object> values;
  private final Path root;
  private final OpenSessions sessions;

  /**
   * Checks the arguments.
   *
   * @param root the directory whose files may be used; a real path
   * @param sessions where the sessions that the tool opens are registered
   */
  McpArguments(McpTool tool, Map<String, Object> values, Path root, OpenSessions sessions) {
    this.values = values;
    this.root = root;
    this.sessions = sessions;
    List<String> names = tool.parameters().stream().map(McpTool.Parameter::name).toList();
    for (String name : values.keySet()) {
      if (!names.contains(name)) {
        throw CommandException.badInput(
            tool.name()
                + " has no argument '"
                + name
                + ClosestMatch.find(name, names)
                    .map(near -> "', did you mean " + near + "?")
                    .orElse("', expected " + String.join(", ", names)));
      }
    }
    for (McpTool.Parameter parameter : tool.parameters()) {
      Object value = values.get(parameter.name());
      if (value == null ? parameter.isRequired() : !isOf(parameter.type(), value)) {
        throw CommandException.badInput(
            tool.name()
                + ": expected "
                + parameter.name()
                + ", "
                + parameter.type().words()
                + ": "
                + parameter.description());
      }
    }
  }

  private static boolean isOf(McpTool.Type type, Object value) {
    return switch (type) {
      case TEXT -> value instanceof String;
      case NUMBER -> value instanceof Integer;
      case TEXTS -> value instanceof List<?> list && areTexts(list);
      case LISTS_OF_TEXTS ->
          value instanceof List<?> list
              && list.stream().allMatch(one -> one instanceof List<?> texts && areTexts(texts));
      case OBJECTS ->
          value instanceof List<?> list && list.stream().allMatch(one -> one instanceof Map<?, ?>);
    };
  }

  private static boolean areTexts(List<?> list) {
    return list.stream().allMatch(String.class::isInstance);
  }

  OpenSessions sessions() {
    return sessions;
  }

  boolean has(String name) {
    return values.get(name) != null;
  }

  String text(String name) {
    return String.valueOf(values.get(name));
  }

  Optional<String> optionalText(String name) {
    return Optional.ofNullable(values.get(name)).map(String.class::cast);
  }

  int number(String name, int otherwise) {
    return values.get(name) instanceof Integer number ? number : otherwise;
  }

  List<String> texts(String name) {
    return list(name).stream().map(String.class::cast).toList();
  }

  List<List<String>> lists(String name) {
    return list(name).stream()
        .map(one -> ((List<?>) one).stream().map(String.class::cast).toList())
        .toList();
  }

  /** Objects of which each has texts in the two fields. */
  List<Map.Entry<String, String>> pairs(String name, String first, String second) {
    return list(name).stream()
        .map(
            one -> {
              Map<?, ?> fields = (Map<?, ?>) one;
              if (fields.get(first) instanceof String key
                  && fields.get(second) instanceof String value
                  && fields.size() == 2) {
                return Map.entry(key, value);
              }
              throw CommandException.badInput(
                  name + ": expected objects with the texts " + first + " and " + second);
            })
        .toList();
  }

  private List<?> list(String name) {
    return values.get(name) instanceof List<?> list ? list : List.of();
  }

  /** An existing file in the root. */
  Path file(String name) throws IOException {
    Path file = root.resolve(text(name));
    if (!Files.exists(file)) {
      throw new NoSuchFileException(text(name));
    }
    return inRoot(name, file.toRealPath());
  }

  /** A directory in the root, which is made if it does not exist. */
  Path directory(String name) throws IOException {
    Path directory = inRoot(name, root.resolve(text(name)).normalize());
    Path existing = directory; // the root exists
    while (!Files.exists(existing)) {
      existing = Objects.requireNonNull(existing.getParent());
    }
    inRoot(name, existing.toRealPath());
    return Files.createDirectories(directory);
  }

  private Path inRoot(String name, Path file) {
    if (!file.startsWith(root)) {
      throw CommandException.badInput(
          name + ": " + text(name) + " is not in the directory of --root");
    }
    return file;
  }
}
