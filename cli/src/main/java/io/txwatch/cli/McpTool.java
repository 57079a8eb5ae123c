package io.txwatch.cli;

import java.io.IOException;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * A tool that {@code mcp} offers.
 *
 * @param description what it does and returns, for the agent's model
 * @param parameters its arguments, in the order in which they are described
 * @param body executes it
 */
record McpTool(String name, String description, List<Parameter> parameters, Body body) {

  /** The type of an argument. */
  enum Type {
    TEXT("a text", Map.of("type", "string")),
    NUMBER("a whole number", Map.of("type", "integer")),
    TEXTS("a list of texts", list(Map.of("type", "string"))),
    LISTS_OF_TEXTS("a list of lists of texts", list(list(Map.of("type", "string")))),
    OBJECTS("a list of objects", list(Map.of("type", "object")));

    private final String words;
    private final Map<String, Object> schema;

    Type(String words, Map<String, Object> schema) {
      this.words = words;
      this.schema = schema;
    }

    String words() {
      return words;
    }

    private static Map<String, Object> list(Map<String, Object> items) {
      return Map.of("type", "array", "items", items);
    }
  }

  /** An argument. */
  record Parameter(String name, Type type, boolean isRequired, String description) {

    static Parameter required(String name, Type type, String description) {
      return new Parameter(name, type, true, description);
    }

    static Parameter optional(String name, Type type, String description) {
      return new Parameter(name, type, false, description);
    }
  }

  /** Executes a tool, and returns its answer as JSON: maps, lists, texts, numbers. */
  interface Body {
    Object execute(McpArguments arguments) throws IOException;
  }

  /** As the protocol describes a tool, with the JSON schema of its arguments. */
  Map<String, Object> describe() {
    Map<String, Object> properties = new LinkedHashMap<>();
    for (Parameter parameter : parameters) {
      Map<String, Object> schema = new LinkedHashMap<>(parameter.type.schema);
      schema.put("description", parameter.description);
      properties.put(parameter.name, schema);
    }
    Map<String, Object> schema = new LinkedHashMap<>();
    schema.put("type", "object");
    schema.put("properties", properties);
    schema.put(
        "required",
        parameters.stream().filter(Parameter::isRequired).map(Parameter::name).toList());
    schema.put("additionalProperties", false);
    return Map.of("name", name, "description", description, "schema", schema);
  }
}
