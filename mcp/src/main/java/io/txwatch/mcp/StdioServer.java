package io.txwatch.mcp;

import io.modelcontextprotocol.json.McpJsonMapper;
import io.modelcontextprotocol.json.jackson3.JacksonMcpJsonMapper;
import io.modelcontextprotocol.json.schema.JsonSchemaValidator;
import io.modelcontextprotocol.server.McpServer;
import io.modelcontextprotocol.server.McpServerFeatures.SyncToolSpecification;
import io.modelcontextprotocol.server.McpSyncServer;
import io.modelcontextprotocol.server.transport.StdioServerTransportProvider;
import io.modelcontextprotocol.spec.McpSchema.CallToolResult;
import io.modelcontextprotocol.spec.McpSchema.ServerCapabilities;
import io.modelcontextprotocol.spec.McpSchema.Tool;
import java.io.BufferedInputStream;
import java.io.BufferedOutputStream;
import java.io.InputStream;
import java.io.OutputStream;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.function.BiFunction;
import tools.jackson.databind.json.JsonMapper;

/** Offers tools to one client, over a pair of streams. */
public final class StdioServer {

  /** The longest call of a tool: the exploration of a large case. */
  private static final Duration LONGEST_CALL = Duration.ofMinutes(30);

  private StdioServer() {}

  /**
   * Answers the client until its stream ends, and its last calls are answered.
   *
   * @param version the version of the server, which the client is given
   * @param instructions what the client's model should know of all tools
   * @param tools the tools: each with {@code name}, {@code description} (texts) and {@code schema}
   *     (the JSON schema of its arguments, as maps, lists and texts)
   * @param call executes the tool of a name with arguments, and returns its answer: {@code text},
   *     and {@code error}, whether the text is the reason why it could not be executed
   */
  public static void serve(
      String version,
      String instructions,
      List<Map<String, Object>> tools,
      BiFunction<String, Map<String, Object>, Map<String, Object>> call,
      InputStream in,
      OutputStream out)
      throws InterruptedException {
    McpJsonMapper mapper = new JacksonMcpJsonMapper(new JsonMapper());
    Conversation conversation = new Conversation(mapper);
    McpSyncServer server =
        McpServer.sync(
                new StdioServerTransportProvider(
                    mapper,
                    conversation.messages(new BufferedInputStream(in)),
                    conversation.answers(new BufferedOutputStream(out))))
            .serverInfo("txwatch", version)
            .instructions(instructions)
            .capabilities(ServerCapabilities.builder().tools(false).build())
            .requestTimeout(LONGEST_CALL)
            // The tools check their arguments themselves, and answer with what is expected.
            .validateToolInputs(false)
            .jsonMapper(mapper)
            .jsonSchemaValidator(new AcceptsAll())
            .tools(tools.stream().map(tool -> specification(tool, call)).toList())
            .build();
    conversation.awaitEnd();
    server.closeGracefully();
  }

  private static SyncToolSpecification specification(
      Map<String, Object> tool, BiFunction<String, Map<String, Object>, Map<String, Object>> call) {
    String name = String.valueOf(tool.get("name"));
    return new SyncToolSpecification(
        Tool.builder()
            .name(name)
            .description(String.valueOf(tool.get("description")))
            .inputSchema(schema(tool))
            .build(),
        (exchange, request) -> {
          Map<String, Object> arguments = request.arguments();
          Map<String, Object> answer = call.apply(name, arguments == null ? Map.of() : arguments);
          return CallToolResult.builder()
              .addTextContent(String.valueOf(answer.get("text")))
              .isError(Boolean.TRUE.equals(answer.get("error")))
              .build();
        });
  }

  @SuppressWarnings("unchecked")
  private static Map<String, Object> schema(Map<String, Object> tool) {
    return (Map<String, Object>) Objects.requireNonNull(tool.get("schema"));
  }

  private static final class AcceptsAll implements JsonSchemaValidator {
    @Override
    public ValidationResponse validate(Map<String, Object> schema, Object content) {
      return ValidationResponse.asValid("");
    }
  }
}
