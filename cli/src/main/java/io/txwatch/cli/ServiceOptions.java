package io.txwatch.cli;

import io.txwatch.interleave.Interleaver;
import io.txwatch.link.Address;
import java.io.IOException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** The options that interleave requests to a service. */
final class ServiceOptions {

  private static final String SERVICE = "--service";
  private static final String REQUEST = "--request";
  private static final String GATE = "--gate";

  @Option(
      names = SERVICE,
      paramLabel = "URL",
      description =
          "interleave requests to the service at this URL, which runs under the agent with"
              + " txwatch.gate=PORT")
  private String service = "";

  @Option(
      names = REQUEST,
      paramLabel = "'METHOD /PATH [BODY]'",
      description = "with --service: a request, which is one operation; two to five are given")
  private List<String> requests = new ArrayList<>();

  @Option(
      names = "--header",
      paramLabel = "'NAME: VALUE'",
      description = "with --service: a header of each request, such as Authorization")
  private List<String> headers = new ArrayList<>();

  @Option(
      names = "--reset",
      paramLabel = "COMMAND",
      description =
          "with --service: a shell command that restores the state before each execution (default:"
              + " the rows of the touched tables are restored)")
  private @Nullable String reset;

  @Option(
      names = GATE,
      paramLabel = "HOST:PORT",
      defaultValue = "127.0.0.1:7079",
      description = "with --service: where its gate listens (default: ${DEFAULT-VALUE})")
  private String gate = "";

  @Option(
      names = "--token-file",
      paramLabel = "FILE",
      description =
          "with --service: a file whose first line is the token of the gate (default: the"
              + " environment variable TXWATCH_TOKEN)")
  private @Nullable Path tokenFile;

  boolean isGiven() {
    return !service.isEmpty();
  }

  /**
   * Requires that no option is given which needs a service.
   *
   * @throws CommandException if there is one
   */
  void requireNone() {
    if (!requests.isEmpty() || !headers.isEmpty() || reset != null || tokenFile != null) {
      throw CommandException.badInput(
          "--request, --header, --reset and --token-file need --service URL");
    }
  }

  /**
   * What is to be interleaved.
   *
   * @throws CommandException if an option cannot be used
   */
  ServiceInterleaving interleaving() throws IOException {
    if (requests.size() < 2 || requests.size() > Interleaver.MAX_OPERATIONS) {
      throw CommandException.badInput(
          REQUEST
              + ": two to "
              + Interleaver.MAX_OPERATIONS
              + " requests are interleaved, and there are "
              + requests.size()
              + "; give the same one twice for two clients");
    }
    URI base = base();
    List<ServiceRequest> parsed = new ArrayList<>();
    for (String request : requests) {
      parsed.add(ServiceRequest.of(base, request, headers));
    }
    Address address =
        Address.of(gate)
            .filter(found -> found.port() > 0)
            .orElseThrow(
                () -> CommandException.badInput(GATE + ": expected HOST:PORT, not " + gate));
    return new ServiceInterleaving(
        base, parsed, Optional.ofNullable(reset).filter(s -> !s.isBlank()), address, token());
  }

  private URI base() {
    try {
      URI uri = URI.create(service);
      if (uri.getHost() != null && ("http".equals(uri.getScheme()) || isHttps(uri))) {
        return uri;
      }
    } catch (IllegalArgumentException e) {
      // Reported below.
    }
    throw CommandException.badInput(
        SERVICE + ": expected a URL such as http://localhost:8080, not " + service);
  }

  private static boolean isHttps(URI uri) {
    return "https".equals(uri.getScheme());
  }

  private String token() throws IOException {
    String token =
        tokenFile != null
            ? Files.readString(tokenFile).lines().findFirst().orElse("").strip()
            : Optional.ofNullable(System.getenv("TXWATCH_TOKEN")).orElse("").strip();
    if (token.isEmpty()) {
      throw CommandException.badInput(
          "the gate needs the token that the service has printed, or was given: set TXWATCH_TOKEN"
              + " or --token-file");
    }
    return token;
  }
}
