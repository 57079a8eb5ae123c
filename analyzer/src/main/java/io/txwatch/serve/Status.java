package io.txwatch.serve;

import com.fasterxml.jackson.core.JsonGenerator;
import io.txwatch.coverage.Coverage;
import io.txwatch.report.JsonReport;
import java.io.IOException;
import java.io.StringWriter;
import java.io.UncheckedIOException;
import java.util.List;

/**
 * The status of a server.
 *
 * @param clients the clients that are connected or awaited
 * @param events events accepted by this run
 * @param duplicates chunks that were received twice and analyzed once
 * @param anomalies anomalies reported, including those of the history that it resumed from
 * @param historyLost events that could not be written to the history
 * @param graphBytes the approximate memory of the dependency graph
 * @param coverage the coverage, including the history that it resumed from
 */
public record Status(
    List<ClientStatus> clients,
    long events,
    long duplicates,
    long anomalies,
    long historyLost,
    long graphBytes,
    Coverage coverage) {

  /**
   * The status of a client.
   *
   * @param name the name that it gives itself
   * @param connected whether it is connected
   * @param sessions the number of its open sessions
   * @param openTransactions the number of its active transactions
   */
  public record ClientStatus(String name, boolean connected, int sessions, int openTransactions) {}

  public Status {
    clients = List.copyOf(clients);
  }

  /** The number of events known to be missing. */
  public long dropped() {
    return coverage.dropped();
  }

  /** The number of open sessions. */
  public long sessions() {
    return clients.stream().mapToLong(ClientStatus::sessions).sum();
  }

  /** The status as JSON, for tools. */
  public String json() {
    StringWriter out = new StringWriter();
    try (JsonGenerator json = JsonReport.generator(out)) {
      json.writeStartObject();
      json.writeStringField("type", "status");
      json.writeArrayFieldStart("clients");
      for (ClientStatus client : clients) {
        json.writeStartObject();
        json.writeStringField("name", client.name());
        json.writeBooleanField("connected", client.connected());
        json.writeNumberField("sessions", client.sessions());
        json.writeNumberField("openTransactions", client.openTransactions());
        json.writeEndObject();
      }
      json.writeEndArray();
      json.writeNumberField("transactions", coverage.transactions());
      json.writeNumberField("events", events);
      json.writeNumberField("dropped", dropped());
      json.writeNumberField("duplicates", duplicates);
      json.writeNumberField("anomalies", anomalies);
      json.writeNumberField("historyLost", historyLost);
      json.writeNumberField("graphBytes", graphBytes);
      json.writeFieldName("coverage");
      JsonReport.write(json, coverage);
      json.writeEndObject();
    } catch (IOException e) {
      throw new UncheckedIOException("writing to memory", e);
    }
    return out.toString();
  }
}
