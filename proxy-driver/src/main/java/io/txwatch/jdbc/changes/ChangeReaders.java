package io.txwatch.jdbc.changes;

import io.txwatch.catalog.CatalogMode.Versions;
import io.txwatch.history.Database;
import io.txwatch.jdbc.changes.ChangesMode.Candidate;
import io.txwatch.jdbc.log.Notices;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** Where what is written is known from, and the readers of this process, one a record. */
public final class ChangeReaders {

  /** How long a connection that is opened waits until the record is read. */
  private static final Duration MAX_WAIT = Duration.ofSeconds(2);

  private static final Map<String, ChangeReader> READERS = new HashMap<>();

  private final List<ChangesMode> modes;
  private final List<WriteListener> listeners;

  /** Chooses among these. */
  public ChangeReaders(List<ChangesMode> modes, List<WriteListener> listeners) {
    this.modes = List.copyOf(modes);
    this.listeners = List.copyOf(listeners);
  }

  /**
   * Where versions come from, and a connection's share in it.
   *
   * @param versions a record of changes, or the statements
   */
  public record Chosen(Versions versions, ChangeReading reading) {}

  /**
   * The source for a connection. Reads the record of its DBMS's changes if the setting asks for it;
   * waits at most two seconds until it is read. What is missing is printed. Nothing is executed on
   * the connection. Never throws.
   *
   * @param versions what is set; {@link Versions#AUTO} for the best that can be had
   */
  public Chosen choose(Versions versions, ChangesRequest request) {
    if (versions == Versions.AUTO) {
      return best(request);
    }
    Optional<ChangesMode> mode =
        modes.stream().filter(one -> one.versions() == versions).findFirst();
    return new Chosen(
        versions,
        mode.map(one -> ofMode(one, request))
            .orElseGet(
                () -> versions == Versions.STATEMENTS ? ofListener(request) : ChangeReading.NONE));
  }

  private ChangeReading ofMode(ChangesMode mode, ChangesRequest request) {
    Candidate found =
        mode.serves(request.database())
            ? mode.find(request)
            : Candidate.missing(mode.whyNot(request.database()));
    ChangeRecord record = found.record();
    if (record == null) {
      explain(mode, found.missing(), request.database());
      return ChangeReading.NONE;
    }
    ChangeReader.Lease lease = acquire(found.key(), record, request, false);
    lease.await(MAX_WAIT);
    return mode.reading(lease, request);
  }

  private void explain(ChangesMode mode, String missing, Database database) {
    if (listener(database).isPresent()) {
      Notices.print(
          "no row versions come from "
              + mode.noun()
              + ": "
              + missing
              + "; with txwatch.versions=statements the rows are known that statements write on "
              + database.product().name());
    } else {
      Notices.printFirst(mode.noun() + ": " + missing, mode.consequence(missing));
    }
  }

  /**
   * The best source for a database that is watched by value without being set: the record of its
   * changes if it can be read within two seconds, else the statements, which is printed with the
   * reason. The choice holds until the database's last watched connection is closed.
   */
  private Chosen best(ChangesRequest request) {
    Database database = request.database();
    Optional<ChangesMode> mode = modes.stream().filter(one -> one.serves(database)).findFirst();
    SourceChoice choice =
        SourceChoice.enter(
            String.join(
                "\0",
                String.valueOf(System.identityHashCode(request.pipeline())),
                database.scope(),
                mode.map(one -> one.run(database)).orElse("")));
    boolean isChosen = false;
    try {
      Versions versions =
          choice.versions(() -> mode.map(one -> tried(one, request)).orElseGet(() -> of(database)));
      ChangeReading reading =
          versions == Versions.STATEMENTS
              ? ofListener(request)
              : ofMode(mode.orElseThrow(), request);
      isChosen = true;
      return new Chosen(versions, new ClosingReading(reading, choice::leave));
    } finally {
      if (!isChosen) {
        choice.leave();
      }
    }
  }

  private static Versions tried(ChangesMode mode, ChangesRequest request) {
    Candidate found = mode.find(request);
    ChangeRecord record = found.record();
    if (record == null) {
      return statements(mode.noun(), mode.noun(), found.missing());
    }
    ChangeReader.Lease lease = acquire(found.key(), record, request, true);
    String missing = lease.tried(MAX_WAIT);
    lease.close();
    return missing.isEmpty() ? mode.versions() : statements(record.kind(), record.name(), missing);
  }

  private static Versions statements(String kind, String name, String why) {
    Notices.printFirst(
        kind + " not used: " + why,
        "no row versions come from "
            + name
            + ", so that writes are known as far as their statements state them: "
            + why
            + "; or prepare the tables");
    return Versions.STATEMENTS;
  }

  private Versions of(Database database) {
    listener(database).ifPresent(one -> Notices.print(one.notice()));
    return Versions.STATEMENTS;
  }

  private Optional<WriteListener> listener(Database database) {
    return listeners.stream().filter(one -> one.serves(database)).findFirst();
  }

  /** The rows that a connection writes, if its driver shows them. */
  private ChangeReading ofListener(ChangesRequest request) {
    return listener(request.database())
        .map(one -> one.listen(request.real(), request.catalog()))
        .orElse(ChangeReading.NONE);
  }

  private static ChangeReader.Lease acquire(
      String key, ChangeRecord record, ChangesRequest request, boolean isTrial) {
    Database database = request.database();
    String home = request.catalog().home();
    synchronized (READERS) {
      ChangeReader reader = READERS.get(key);
      ChangeReader.Lease known =
          reader == null ? null : reader.acquire(request.pipeline(), database, home, isTrial);
      if (known != null) {
        return known;
      }
      READERS.values().removeIf(ChangeReader::hasEnded);
      ChangeReader created = new ChangeReader(record);
      READERS.put(key, created);
      ChangeReader.Lease lease = created.acquire(request.pipeline(), database, home, isTrial);
      created.start();
      return java.util.Objects.requireNonNull(lease);
    }
  }
}
