package io.txwatch.changes.debezium;

import java.io.IOException;
import java.io.InputStream;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * The schemas of records in Avro, by the numbers that the records have. They are requested from a
 * registry, each once: {@code GET /schemas/ids/7}, the interface of Confluent's registry and of
 * those that are compatible with it. Not thread-safe.
 */
public final class SchemaRegistry {

  private static final Duration CONNECT_TIMEOUT = Duration.ofSeconds(10);
  private static final Duration TIMEOUT = Duration.ofSeconds(30);
  private static final int MAX_BYTES = 16 << 20;
  private static final int OK = 200;
  private static final int NOT_FOUND = 404;

  private final HttpClient client = HttpClient.newBuilder().connectTimeout(CONNECT_TIMEOUT).build();
  private final Map<Integer, AvroSchema> schemas = new HashMap<>();
  private final String url;

  private SchemaRegistry(String url) {
    this.url = url;
  }

  /**
   * A registry; nothing is requested yet.
   *
   * @param url {@code http://HOST:PORT}, maybe with a path; empty if it is no such URL
   */
  public static Optional<SchemaRegistry> ofUrl(String url) {
    try {
      URI uri = new URI(url);
      boolean isHttp = "http".equals(uri.getScheme()) || "https".equals(uri.getScheme());
      boolean isPlain = uri.getUserInfo() == null && uri.getQuery() == null;
      return isHttp && isPlain && uri.getHost() != null && uri.getFragment() == null
          ? Optional.of(new SchemaRegistry(url.replaceFirst("/+$", "")))
          : Optional.empty();
    } catch (java.net.URISyntaxException e) {
      return Optional.empty();
    }
  }

  /**
   * The schema of that number.
   *
   * @throws SchemaRegistryException if there is none, or the registry does not answer
   */
  AvroSchema schema(int id) {
    AvroSchema known = schemas.get(id);
    if (known == null) {
      known = request(id);
      schemas.put(id, known);
    }
    return known;
  }

  private AvroSchema request(int id) {
    String name = url + "/schemas/ids/" + Integer.toUnsignedString(id);
    HttpResponse<InputStream> response;
    byte[] body;
    try {
      response =
          client.send(
              HttpRequest.newBuilder(URI.create(name)).timeout(TIMEOUT).build(),
              HttpResponse.BodyHandlers.ofInputStream());
      try (InputStream in = response.body()) {
        body = in.readNBytes(MAX_BYTES);
      }
    } catch (IOException e) {
      String reason = e.getMessage() == null ? e.getClass().getSimpleName() : e.getMessage();
      throw new SchemaRegistryException(true, url + ": no schema registry answers: " + reason);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new SchemaRegistryException(true, url + ": interrupted");
    }
    return schema(name, response.statusCode(), body);
  }

  private static AvroSchema schema(String name, int status, byte[] body) {
    Object answer = json(body);
    if (status == NOT_FOUND && JsonTree.get(answer, "error_code") != null) {
      throw unusable(name + ": the registry has no such schema; is it the connector's?");
    }
    if (status != OK) {
      throw unusable(name + " answers with status " + status + ", expected a schema");
    }
    String type = JsonTree.text(answer, "schemaType");
    if (type != null && !type.equals("AVRO")) {
      throw unusable(name + ": a schema of type " + type + ", expected AVRO");
    }
    if (JsonTree.get(answer, "references") instanceof List<?> list && !list.isEmpty()) {
      throw unusable(name + ": a schema that refers to others is not supported");
    }
    String schema = JsonTree.text(answer, "schema");
    if (schema == null) {
      throw unusable(name + " answers with no schema; is it the URL of a schema registry?");
    }
    try {
      return AvroSchema.of(JsonTree.read(schema.getBytes(StandardCharsets.UTF_8)));
    } catch (IOException e) {
      throw unusable(name + ": no schema of Avro: " + e.getMessage());
    }
  }

  private static @Nullable Object json(byte[] body) {
    try {
      return JsonTree.read(body);
    } catch (IOException e) {
      return null;
    }
  }

  private static SchemaRegistryException unusable(String message) {
    return new SchemaRegistryException(false, message.lines().findFirst().orElse(""));
  }
}
