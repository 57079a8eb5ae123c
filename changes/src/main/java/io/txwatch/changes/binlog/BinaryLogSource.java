package io.txwatch.changes.binlog;

import com.github.shyiko.mysql.binlog.BinaryLogClient;
import com.github.shyiko.mysql.binlog.network.SSLMode;
import com.github.shyiko.mysql.binlog.network.ServerException;
import io.txwatch.changes.ChangeGap;
import io.txwatch.changes.ChangeGap.Reason;
import io.txwatch.changes.ChangeListener;
import io.txwatch.changes.ChangeSource;
import io.txwatch.changes.ChangeStatistics;
import io.txwatch.changes.ChangedTransaction;
import io.txwatch.changes.ConnectionOpener;
import io.txwatch.changes.LogPosition;
import io.txwatch.changes.Probe;
import io.txwatch.changes.SchemaChange;
import io.txwatch.history.BackgroundThreads;
import java.io.IOException;
import java.net.Socket;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.Collection;
import java.util.Map;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import java.util.logging.Level;
import java.util.logging.Logger;
import org.jspecify.annotations.Nullable;

/**
 * The binary log of a MySQL or MariaDB server.
 *
 * <p>It registers as a replica with a random server id, needs {@code REPLICATION SLAVE} and {@code
 * REPLICATION CLIENT} (MariaDB 10.5 and later: {@code BINLOG MONITOR}), and {@code SELECT} on the
 * tables, whose description it reads on a connection of its own. After a lost connection it goes on
 * behind the last whole transaction. Sessions with {@code sql_log_bin = 0} are not in the log.
 */
public final class BinaryLogSource implements ChangeSource {

  private static final long HEARTBEAT_MILLIS = 250;

  /** Without an event or a heartbeat for so long, the connection is taken for lost. */
  private static final int SILENCE_MILLIS = 20_000;

  private static final int CONNECT_TIMEOUT_MILLIS = 10_000;
  private static final long MIN_PAUSE_MILLIS = 50;
  private static final long MAX_PAUSE_MILLIS = 10_000;

  /** The server cannot read the log from where it was requested to. */
  private static final int FATAL_READING_LOG = 1236;

  /** The connector's, named for its subclass. Kept, so that its level is. */
  private static final Logger CONNECTOR_LOG = Logger.getLogger(LogClient.class.getName());

  private final ServerAddress address;
  private final ServerSession session;
  private final ReentrantLock lock = new ReentrantLock();
  private final Condition closing = lock.newCondition();

  private volatile State state = State.NEW;
  private volatile String problem = "";
  private volatile LogPosition position = new LogPosition("", 0);
  private @Nullable Thread thread;
  private @Nullable BinaryLogClient client;

  private final AtomicLong bytes = new AtomicLong();
  private final AtomicLong events = new AtomicLong();
  private final AtomicLong transactions = new AtomicLong();
  private final AtomicLong rows = new AtomicLong();
  private final AtomicLong gaps = new AtomicLong();
  private final AtomicLong reconnects = new AtomicLong();
  private final AtomicLong latencies = new AtomicLong();
  private final AtomicLong latencySum = new AtomicLong();
  private final LatencyHistogram histogram = new LatencyHistogram();

  /**
   * A source that is not started.
   *
   * @param opener for one connection at a time, to read catalog and position
   */
  public BinaryLogSource(ServerAddress address, ConnectionOpener opener) {
    this.address = address;
    this.session = new ServerSession(opener::open);
    CONNECTOR_LOG.setLevel(Level.OFF); // what it would log, this source reports
  }

  /**
   * Examines a server: whether its log can be read by the user of the connections.
   *
   * @throws IOException if it cannot be queried
   */
  public static Probe probe(ConnectionOpener opener) throws IOException {
    try (ServerSession session = new ServerSession(opener::open)) {
      return session.probe();
    }
  }

  @Override
  public void start(ChangeListener listener) throws IOException {
    lock.lock();
    try {
      if (state != State.NEW) {
        throw new IllegalStateException("a source is started once");
      }
      Probe probe = session.probe();
      if (!probe.isReadable()) {
        throw new IOException(probe.missing());
      }
      ServerSession.Identity identity = session.identity();
      LogPosition end = session.endOfLog();
      position = end;
      state = State.CONNECTING;
      Thread reader =
          BackgroundThreads.create("txwatch-binary-log", () -> run(listener, identity, end));
      thread = reader;
      reader.start();
    } finally {
      lock.unlock();
    }
  }

  @Override
  public State state() {
    return state;
  }

  @Override
  public String problem() {
    return problem;
  }

  @Override
  public LogPosition position() {
    return position;
  }

  @Override
  public LogPosition endOfLog() throws IOException {
    return session.endOfLog();
  }

  @Override
  public ChangeStatistics statistics() {
    long measured = latencies.get();
    return new ChangeStatistics(
        bytes.get(),
        events.get(),
        transactions.get(),
        rows.get(),
        gaps.get(),
        reconnects.get(),
        measured,
        measured == 0 ? 0 : latencySum.get() / measured,
        histogram.percentile(0.5),
        histogram.percentile(0.99));
  }

  @Override
  public void close() {
    Thread reader;
    lock.lock();
    try {
      state = State.CLOSED;
      reader = thread;
      disconnect(client);
      closing.signalAll();
    } finally {
      lock.unlock();
    }
    if (reader != null && reader != Thread.currentThread()) {
      reader.interrupt();
      try {
        reader.join(TimeUnit.SECONDS.toMillis(5));
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
      }
    }
    session.close();
  }

  private static void disconnect(@Nullable BinaryLogClient client) {
    if (client instanceof LogClient open) {
      open.abort();
    }
  }

  private boolean isClosed() {
    return state == State.CLOSED;
  }

  private void run(ChangeListener listener, ServerSession.Identity first, LogPosition from) {
    ServerSession.Identity identity = first;
    Delivery delivery = new Delivery(listener);
    LogAssembler assembler = new LogAssembler(delivery, identity.server());
    assembler.restart(from);
    long pause = MIN_PAUSE_MILLIS;
    boolean isFirst = true;
    while (!isClosed()) {
      long before = events.get();
      try {
        if (!isFirst) {
          reconnects.incrementAndGet();
          ServerSession.Identity now = session.identity();
          LogPosition end = session.endOfLog();
          if (!now.equals(identity)) {
            assembler.restart(end);
            delivery.gap(
                new ChangeGap(
                    Reason.OTHER_SERVER, "", "", "server " + now.server() + " answers now"));
            identity = now;
            assembler = new LogAssembler(delivery, identity.server());
            assembler.restart(end);
          } else if (end.compareTo(assembler.complete()) < 0) {
            lost(assembler, delivery, end, "the log ends before what was read");
          }
          assembler.reconnect();
        }
        isFirst = false;
        read(assembler, identity);
      } catch (ServerException e) {
        if (e.getErrorCode() == FATAL_READING_LOG && !isSameReplicaId(e)) {
          restartAtEnd(assembler, delivery, describe(e));
        }
        problem = describe(e);
      } catch (IOException | RuntimeException e) {
        problem = describe(e);
      }
      if (!isClosed()) {
        state = State.CONNECTING;
        pause = events.get() > before ? MIN_PAUSE_MILLIS : Math.min(2 * pause, MAX_PAUSE_MILLIS);
        await(pause);
      }
    }
  }

  private static boolean isSameReplicaId(ServerException e) {
    return String.valueOf(e.getMessage()).contains("same server");
  }

  private void restartAtEnd(LogAssembler assembler, Delivery delivery, String why) {
    try {
      lost(assembler, delivery, session.endOfLog(), why);
    } catch (IOException e) {
      problem = describe(e); // reading is tried again, and refused again
    }
  }

  private static void lost(LogAssembler assembler, Delivery delivery, LogPosition end, String why) {
    String from = assembler.complete().toString();
    assembler.restart(end);
    delivery.gap(
        new ChangeGap(
            Reason.RECORD_LOST, "", "", "the log from " + from + " to " + end + ": " + why));
  }

  private String describe(Exception e) {
    Throwable cause = e;
    while (cause.getCause() != null) {
      cause = cause.getCause();
    }
    String message = cause.getMessage();
    return "cannot read the log of "
        + address
        + ": "
        + (message == null ? cause.getClass().getSimpleName() : message);
  }

  private void await(long millis) {
    lock.lock();
    try {
      if (!isClosed()) {
        closing.await(millis, TimeUnit.MILLISECONDS);
      }
    } catch (InterruptedException e) {
      // Closed, or somebody wants this thread to go on.
    } finally {
      lock.unlock();
    }
  }

  /** Reads until the connection ends. */
  private void read(LogAssembler assembler, ServerSession.Identity identity) throws IOException {
    LogClient reader = new LogClient(address);
    reader.setBinlogFilename(assembler.complete().file());
    reader.setBinlogPosition(assembler.complete().offset());
    reader.setEventDeserializer(
        new RawEventDeserializer(
            event -> {
              if (!isClosed() && reader.getMasterServerId() == identity.serverId()) {
                bytes.addAndGet(event.body().length + LogEvent.HEADER_LENGTH);
                events.incrementAndGet();
                reading();
                assembler.event(event);
              }
            }));
    lock.lock();
    try {
      if (isClosed()) {
        return;
      }
      client = reader;
    } finally {
      lock.unlock();
    }
    try {
      reader.connectAndRead();
      if (reader.getMasterServerId() != identity.serverId()) {
        throw new IOException("server " + reader.getMasterServerId() + " sends the log");
      }
    } finally {
      reader.abort();
    }
  }

  /** The server sends the log: it may refuse that after it has accepted the connection. */
  private void reading() {
    if (state == State.CONNECTING) {
      problem = "";
      state = isClosed() ? State.CLOSED : State.READING;
    }
  }

  /** The connector, with what it would keep to itself: why a connection ended. */
  private static final class LogClient extends BinaryLogClient {

    private volatile @Nullable Exception failure;
    private volatile @Nullable Socket socket;

    LogClient(ServerAddress address) {
      super(address.host(), address.port(), address.user(), address.password());
      setServerId(ThreadLocalRandom.current().nextLong(1L << 24, 1L << 32));
      setSSLMode(SSLMode.valueOf(address.tls().name()));
      setKeepAlive(false);
      setUseSendAnnotateRowsEvent(true); // MariaDB
      setHeartbeatInterval(HEARTBEAT_MILLIS);
      setConnectTimeout(CONNECT_TIMEOUT_MILLIS);
      setThreadFactory(task -> BackgroundThreads.create("txwatch-binary-log-connection", task));
      setSocketFactory(
          () -> {
            Socket opened = new Socket();
            opened.setSoTimeout(SILENCE_MILLIS);
            opened.setTcpNoDelay(true);
            opened.setKeepAlive(true);
            socket = opened;
            return opened;
          });
      registerLifecycleListener(
          new AbstractLifecycleListener() {
            @Override
            public void onCommunicationFailure(BinaryLogClient client, Exception e) {
              failure = e;
            }

            @Override
            public void onEventDeserializationFailure(BinaryLogClient client, Exception e) {
              failure = e;
              abort();
            }
          });
    }

    void connectAndRead() throws IOException {
      connect();
      Exception ended = failure;
      if (ended instanceof IOException e) {
        throw e;
      }
      throw new IOException(ended == null ? "the server ended the connection" : "", ended);
    }

    void abort() {
      Socket open = socket;
      if (open != null) {
        try {
          open.close();
        } catch (IOException e) {
          // It is closed all the same.
        }
      }
    }
  }

  /** From the assembler to the listener, counted. */
  private final class Delivery implements LogAssembler.Surroundings {

    private final ChangeListener listener;

    Delivery(ChangeListener listener) {
      this.listener = listener;
    }

    @Override
    public Map<String, TableDescription> describe(String schema, Collection<String> tables)
        throws IOException {
      return session.describe(schema, tables);
    }

    @Override
    public Collection<String> tables(String schema) throws IOException {
      return session.tables(schema);
    }

    @Override
    public LogPosition endOfLog() throws IOException {
      return session.endOfLog();
    }

    @Override
    public void transaction(ChangedTransaction transaction) {
      transactions.incrementAndGet();
      rows.addAndGet(transaction.changes().size());
      if (transaction.commitPrecisionMicros() == 1) {
        long now = ChronoUnit.MICROS.between(Instant.EPOCH, Instant.now());
        latencies.incrementAndGet();
        latencySum.addAndGet(Math.max(0, now - transaction.commitMicros()));
        histogram.add(now - transaction.commitMicros());
      }
      call(() -> listener.transaction(transaction));
    }

    @Override
    public void gap(ChangeGap gap) {
      gaps.incrementAndGet();
      call(() -> listener.gap(gap));
    }

    @Override
    public void schemaChange(SchemaChange change) {
      call(() -> listener.schemaChange(change));
    }

    @Override
    public void position(LogPosition passed, boolean caughtUp) {
      position = passed;
      call(() -> listener.position(passed, caughtUp));
    }

    private void call(Runnable delivery) {
      try {
        delivery.run();
      } catch (RuntimeException e) {
        gaps.incrementAndGet();
        try {
          listener.gap(new ChangeGap(Reason.LISTENER_FAILED, "", "", String.valueOf(e)));
        } catch (RuntimeException again) {
          problem = "the listener of changes failed: " + again;
        }
      }
    }
  }
}
