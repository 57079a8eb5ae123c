package io.txwatch.hazard;

import static org.assertj.core.api.Assertions.assertThat;

import io.txwatch.history.Event;
import io.txwatch.history.Outcome;
import io.txwatch.jdbc.TestDatabase;
import io.txwatch.jdbc.Transcript;
import io.txwatch.servers.ServerKind;
import io.txwatch.servers.TestServers;
import java.nio.charset.StandardCharsets;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import javax.sql.ConnectionEvent;
import javax.sql.ConnectionEventListener;
import javax.sql.XAConnection;
import javax.sql.XADataSource;
import javax.transaction.xa.XAException;
import javax.transaction.xa.XAResource;
import javax.transaction.xa.Xid;
import org.junit.jupiter.api.DisplayName;

/** Distributed transactions: prepared is neither committed nor aborted. */
class XaTest {

  private static final AtomicInteger COUNT = new AtomicInteger();

  /** The id of a branch. */
  private record Branch(int number) implements Xid {

    static Branch next() {
      return new Branch(COUNT.incrementAndGet());
    }

    @Override
    public int getFormatId() {
      return 7;
    }

    @Override
    public byte[] getGlobalTransactionId() {
      return ("txw" + ProcessHandle.current().pid() + "-" + number)
          .getBytes(StandardCharsets.US_ASCII);
    }

    @Override
    public byte[] getBranchQualifier() {
      return new byte[] {1};
    }
  }

  private static XADataSource source(ServerKind kind, String url) throws SQLException {
    switch (kind) {
      case POSTGRESQL -> {
        var source = new org.postgresql.xa.PGXADataSource();
        source.setUrl(url);
        return source;
      }
      case MARIADB -> {
        return new org.mariadb.jdbc.MariaDbDataSource(url);
      }
      case MYSQL -> {
        var source = new com.mysql.cj.jdbc.MysqlXADataSource();
        source.setUrl(url);
        return source;
      }
      default -> {
        var source = new org.h2.jdbcx.JdbcDataSource();
        source.setURL(url.replace(";USER=sa", ""));
        source.setUser("sa");
        return source;
      }
    }
  }

  /** What an application does with connections that take part in distributed transactions. */
  private interface Application {
    void run(Opener opener, Transcript transcript) throws Exception;
  }

  /** Opens them. */
  private interface Opener {
    XAConnection open() throws SQLException;
  }

  private static TestDatabase compare(Place place, Application application) throws Exception {
    Twins twins = place.shop();
    String rawUrl = TestServers.freshDatabase(place.kind());
    try (Connection raw = DriverManager.getConnection(rawUrl)) {
      TestDatabase.execute(raw, twins.setup().toArray(String[]::new));
    }
    Transcript expected = new Transcript();
    XADataSource plain = source(place.kind(), rawUrl);
    application.run(plain::getXAConnection, expected);
    TestDatabase watched = twins.watched();
    Transcript actual = new Transcript();
    XADataSource other = source(place.kind(), watched.url);
    application.run(() -> watched.watched(other.getXAConnection(), twins.settings()), actual);
    assertThat(String.join("\n", Transcript.differences(expected, actual))).isEmpty();
    return watched;
  }

  private static List<Outcome> outcomes(TestDatabase watched) {
    return watched.events(Event.TransactionEnded.class).stream()
        .map(Event.TransactionEnded::outcome)
        .toList();
  }

  private static void update(Connection connection, int id, int qty) throws SQLException {
    TestDatabase.execute(connection, "UPDATE item SET qty = " + qty + " WHERE id = " + id);
  }

  private static void items(Connection connection, Transcript transcript) throws SQLException {
    try (Statement statement = connection.createStatement()) {
      transcript.rows(statement.executeQuery("SELECT * FROM item ORDER BY id"));
    }
  }

  /**
   * Commits a branch of a connection that was closed. MariaDB and MySQL know it in other sessions
   * (no XAER_NOTA) once the server has noticed the end of that connection.
   */
  private static void commitDetached(XAResource resource, Branch branch) throws Exception {
    long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(20);
    while (true) {
      try {
        resource.commit(branch, false);
        return;
      } catch (XAException e) {
        if (e.errorCode != XAException.XAER_NOTA || System.nanoTime() - end >= 0) {
          throw e;
        }
        TimeUnit.MILLISECONDS.sleep(10);
      }
    }
  }

  @OnEach({ServerKind.POSTGRESQL, ServerKind.MARIADB, ServerKind.MYSQL, ServerKind.H2})
  @DisplayName("42 two phases, one phase, rollback")
  void phases(Place place) throws Exception {
    TestDatabase watched =
        compare(
            place,
            (opener, transcript) -> {
              XAConnection xa = opener.open();
              XAResource resource = xa.getXAResource();
              transcript.line("same " + resource.isSameRM(xa.getXAResource()));
              Connection connection = xa.getConnection();
              transcript.line("auto " + connection.getAutoCommit());
              update(connection, 1, 1); // a local transaction
              Branch both = Branch.next();
              resource.start(both, XAResource.TMNOFLAGS);
              update(connection, 1, 2);
              update(connection, 2, 2);
              transcript.step("no commit within", connection::commit);
              resource.end(both, XAResource.TMSUCCESS);
              transcript.line("vote " + resource.prepare(both));
              resource.commit(both, false);
              Branch one = Branch.next();
              resource.start(one, XAResource.TMNOFLAGS);
              update(connection, 1, 3);
              resource.end(one, XAResource.TMSUCCESS);
              resource.commit(one, true);
              Branch undone = Branch.next();
              resource.start(undone, XAResource.TMNOFLAGS);
              update(connection, 1, 4);
              resource.end(undone, XAResource.TMSUCCESS);
              resource.prepare(undone);
              resource.rollback(undone);
              Branch early = Branch.next();
              resource.start(early, XAResource.TMNOFLAGS);
              update(connection, 1, 5);
              resource.end(early, XAResource.TMFAIL);
              resource.rollback(early);
              try {
                resource.commit(Branch.next(), false);
                transcript.line("no error");
              } catch (XAException e) {
                transcript.line("error " + e.errorCode);
              }
              items(connection, transcript);
              connection.close();
              xa.close();
            });
    assertThat(outcomes(watched))
        .containsExactly(
            Outcome.COMMITTED, // local
            Outcome.COMMITTED, // two phases
            Outcome.COMMITTED, // one phase
            Outcome.ABORTED,
            Outcome.ABORTED,
            Outcome.COMMITTED); // the look at the end
    assertThat(watched.statements().get(1).transaction())
        .isEqualTo(watched.statements().get(2).transaction());
    assertThat(watched.events(Event.SessionOpened.class)).hasSize(1);
    assertThat(watched.events(Event.SessionClosed.class)).hasSize(1);
  }

  @OnEach({ServerKind.POSTGRESQL, ServerKind.MARIADB, ServerKind.MYSQL})
  @DisplayName("42 prepared by one connection, committed by another")
  void committedElsewhere(Place place) throws Exception {
    TestDatabase watched =
        compare(
            place,
            (opener, transcript) -> {
              Branch branch = Branch.next();
              XAConnection first = opener.open();
              Connection connection = first.getConnection();
              first.getXAResource().start(branch, XAResource.TMNOFLAGS);
              update(connection, 1, 9);
              first.getXAResource().end(branch, XAResource.TMSUCCESS);
              first.getXAResource().prepare(branch);
              connection.close();
              first.close();
              XAConnection second = opener.open();
              Connection other = second.getConnection();
              items(other, transcript);
              commitDetached(second.getXAResource(), branch);
              items(other, transcript);
              other.close();
              second.close();
            });
    List<Event> events = watched.events();
    Event.TransactionEnded last =
        watched.events(Event.TransactionEnded.class).stream()
            .filter(e -> e.transaction() == watched.statements().get(0).transaction())
            .findFirst()
            .orElseThrow();
    assertThat(last.outcome()).isEqualTo(Outcome.COMMITTED);
    // Between the two it was neither: another transaction ended before it did.
    Event.TransactionEnded looked = watched.events(Event.TransactionEnded.class).get(0);
    assertThat(events.indexOf(looked)).isLessThan(events.indexOf(last));
    assertThat(watched.events(Event.SessionClosed.class)).hasSize(2);
  }

  @OnEach({ServerKind.POSTGRESQL, ServerKind.MARIADB, ServerKind.MYSQL, ServerKind.H2})
  @DisplayName("42 what is prepared and decided by nobody here is not taken for anything")
  void undecided(Place place) throws Exception {
    Branch branch = Branch.next();
    TestDatabase watched = place.shop().watched();
    XADataSource source = source(place.kind(), watched.url);
    XAConnection xa = watched.watched(source.getXAConnection(), place.shop().settings());
    Connection connection = xa.getConnection();
    xa.getXAResource().start(branch, XAResource.TMNOFLAGS);
    update(connection, 1, 9);
    xa.getXAResource().end(branch, XAResource.TMSUCCESS);
    xa.getXAResource().prepare(branch);
    assertThat(watched.statements()).hasSize(1);
    assertThat(outcomes(watched)).isEmpty();
    xa.getXAResource().rollback(branch);
    assertThat(outcomes(watched)).containsExactly(Outcome.ABORTED);
    Branch lost = Branch.next();
    xa.getXAResource().start(lost, XAResource.TMNOFLAGS);
    update(connection, 1, 10);
    xa.getXAResource().end(lost, XAResource.TMSUCCESS);
    connection.close();
    xa.close(); // what was not even prepared goes with its connection
    assertThat(outcomes(watched)).containsExactly(Outcome.ABORTED, Outcome.ABORTED);
  }

  @OnEach({ServerKind.POSTGRESQL, ServerKind.MARIADB, ServerKind.MYSQL, ServerKind.H2})
  @DisplayName("42 a pool's handles: events name the connection that the pool knows")
  void handles(Place place) throws Exception {
    TestDatabase watched =
        compare(
            place,
            (opener, transcript) -> {
              XAConnection xa = opener.open();
              xa.addConnectionEventListener(
                  new ConnectionEventListener() {
                    @Override
                    public void connectionClosed(ConnectionEvent event) {
                      transcript.line("closed " + (event.getSource() == xa));
                    }

                    @Override
                    public void connectionErrorOccurred(ConnectionEvent event) {
                      transcript.line("error " + (event.getSource() == xa));
                    }
                  });
              for (int i = 0; i < 2; i++) {
                try (Connection handle = xa.getConnection()) {
                  handle.setAutoCommit(false);
                  update(handle, 1, 40 + i);
                  handle.commit();
                  handle.setAutoCommit(true);
                }
              }
              try (Connection handle = xa.getConnection()) {
                items(handle, transcript);
              }
              xa.close();
            });
    assertThat(outcomes(watched)).containsOnly(Outcome.COMMITTED).hasSize(3);
    assertThat(watched.events(Event.SessionOpened.class)).hasSize(1);
  }

  @OnEach({ServerKind.POSTGRESQL, ServerKind.MARIADB, ServerKind.MYSQL, ServerKind.H2})
  @DisplayName("42 two phases as SQL")
  void asSql(Place place) throws Exception {
    String id = "txw" + ProcessHandle.current().pid() + "_" + COUNT.incrementAndGet();
    List<String> before = place.isMySqlLike() ? List.of("XA START '" + id + "'") : List.of();
    List<String> after =
        switch (place.kind()) {
          case POSTGRESQL -> List.of("PREPARE TRANSACTION '" + id + "'");
          case H2 -> List.of("PREPARE COMMIT " + id);
          default -> List.of("XA END '" + id + "'", "XA PREPARE '" + id + "'");
        };
    String commit =
        switch (place.kind()) {
          case POSTGRESQL -> "COMMIT PREPARED '" + id + "'";
          case H2 -> "COMMIT TRANSACTION " + id;
          default -> "XA COMMIT '" + id + "'";
        };
    TestDatabase watched = place.shop().watched();
    try (Connection connection = watched.watched();
        Connection other = watched.watched()) {
      connection.setAutoCommit(place.isMySqlLike());
      TestDatabase.execute(connection, before.toArray(String[]::new));
      update(connection, 1, 8);
      TestDatabase.execute(connection, after.toArray(String[]::new));
      assertThat(outcomes(watched)).isEmpty();
      TestDatabase.execute(place.is(ServerKind.POSTGRESQL) ? other : connection, commit);
      assertThat(outcomes(watched)).containsExactly(Outcome.COMMITTED);
    }
  }
}
