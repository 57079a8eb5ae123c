package io.txwatch.schedule;

import static org.assertj.core.api.Assertions.assertThat;

import io.txwatch.changes.ChangeListener;
import io.txwatch.changes.ChangeSource;
import io.txwatch.changes.ChangeStatistics;
import io.txwatch.changes.LogPosition;
import io.txwatch.dbms.ChangeLog;
import java.sql.Connection;
import java.time.Duration;
import java.util.Optional;
import org.junit.jupiter.api.Test;

class LoggedApplicationTest {

  /** A source that never connects. */
  private static final class Unconnected implements ChangeSource, ChangeLog {

    int looks;

    @Override
    public LogPosition position() {
      looks++;
      return new LogPosition("", 0);
    }

    @Override
    public LogPosition endOfLog() {
      return new LogPosition("", 1);
    }

    @Override
    public State state() {
      return State.CONNECTING;
    }

    @Override
    public String problem() {
      return "cannot read the log";
    }

    @Override
    public ChangeStatistics statistics() {
      throw new UnsupportedOperationException();
    }

    @Override
    public void start(ChangeListener listener) {}

    @Override
    public void close() {}

    @Override
    public Optional<String> whyIncomplete() {
      return Optional.empty();
    }

    @Override
    public Optional<String> whyIncompleteFor(Connection session) {
      return Optional.empty();
    }

    @Override
    public ChangeSource open() {
      return this;
    }
  }

  @Test
  void aLogThatCannotBeReadIsWaitedForOnce() throws Exception {
    Unconnected source = new Unconnected();
    LoggedApplication application = new LoggedApplication(source, Duration.ofMillis(50));

    assertThat(application.readToEnd(source)).contains("cannot read the log");
    assertThat(source.looks).isGreaterThan(1);

    source.looks = 0;
    assertThat(application.readToEnd(source)).contains("cannot read the log");
    assertThat(source.looks).isEqualTo(1);
  }
}
