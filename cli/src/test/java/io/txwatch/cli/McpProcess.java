package io.txwatch.cli;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.modelcontextprotocol.client.McpClient;
import io.modelcontextprotocol.client.McpSyncClient;
import io.modelcontextprotocol.client.transport.ServerParameters;
import io.modelcontextprotocol.client.transport.StdioClientTransport;
import io.modelcontextprotocol.json.jackson3.JacksonMcpJsonMapper;
import io.modelcontextprotocol.json.schema.JsonSchemaValidator;
import io.modelcontextprotocol.spec.McpSchema.CallToolRequest;
import io.modelcontextprotocol.spec.McpSchema.CallToolResult;
import io.modelcontextprotocol.spec.McpSchema.TextContent;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import tools.jackson.databind.json.JsonMapper;

/** {@code txwatch mcp} in a process of its own, and a client of the protocol's own SDK. */
final class McpProcess implements AutoCloseable {

  private final McpSyncClient client;

  private McpProcess(McpSyncClient client) {
    this.client = client;
  }

  /** The command of the classes that are tested. */
  static McpProcess ofClasses(String... options) {
    return start(
        List.of(
            "-cp",
            System.getProperty("surefire.test.class.path", System.getProperty("java.class.path")),
            Main.class.getName()),
        options);
  }

  /** The command of the jar that the build has made. */
  static McpProcess ofJar(String... options) {
    return start(List.of("-jar", JarRun.JAR.toString()), options);
  }

  private static McpProcess start(List<String> program, String... options) {
    List<String> arguments =
        Stream.of(List.of("-XX:TieredStopAtLevel=1"), program, List.of("mcp"), List.of(options))
            .flatMap(List::stream)
            .toList();
    McpSyncClient client =
        McpClient.sync(
                new StdioClientTransport(
                    ServerParameters.builder(
                            Path.of(System.getProperty("java.home"), "bin", "java").toString())
                        .args(arguments)
                        .build(),
                    new JacksonMcpJsonMapper(new JsonMapper())))
            .jsonSchemaValidator(
                new JsonSchemaValidator() {
                  @Override
                  public ValidationResponse validate(Map<String, Object> schema, Object content) {
                    return ValidationResponse.asValid("");
                  }
                })
            .requestTimeout(Duration.ofMinutes(2))
            .build();
    client.initialize();
    return new McpProcess(client);
  }

  McpSyncClient client() {
    return client;
  }

  /** The answer of a tool, which is no error. */
  JsonNode answer(String tool, Map<String, Object> arguments) throws IOException {
    CallToolResult result = client.callTool(new CallToolRequest(tool, arguments));
    assertThat(result.isError()).as(text(result)).isFalse();
    return new ObjectMapper().readTree(text(result));
  }

  /** The error that a tool answers with. */
  String error(String tool, Map<String, Object> arguments) {
    CallToolResult result = client.callTool(new CallToolRequest(tool, arguments));
    assertThat(result.isError()).as(text(result)).isTrue();
    return text(result);
  }

  private static String text(CallToolResult result) {
    return ((TextContent) result.content().get(0)).text();
  }

  @Override
  public void close() {
    client.closeGracefully();
  }
}
