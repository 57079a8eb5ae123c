package org.example.pools;

import java.sql.Connection;
import java.sql.SQLException;
import javax.sql.DataSource;
import javax.sql.PooledConnection;
import javax.sql.XAConnection;
import javax.sql.XADataSource;
import javax.transaction.xa.XAResource;
import javax.transaction.xa.Xid;

/** Where an application's connections come from, at most {@value #MAX_CONNECTIONS} at a time. */
interface Pool extends AutoCloseable {

  int MAX_CONNECTIONS = 3;

  Session session() throws Exception;

  /** True if one more than the maximum is refused. */
  default boolean isBounded() {
    return true;
  }

  @Override
  void close() throws Exception;

  /** A connection of the application, and its transaction control. */
  interface Session {
    Connection connection();

    void begin() throws Exception;

    void commit() throws Exception;

    /** Gives it back, whatever it has begun. */
    void giveBack() throws Exception;
  }

  /** Something that is closed. */
  interface Closing {
    void close() throws Exception;
  }

  /** A pool behind a data source. */
  static Pool of(DataSource source, Closing closing) {
    return of(source, true, closing);
  }

  /** A data source, which may be no pool. */
  static Pool of(DataSource source, boolean bounded, Closing closing) {
    return new Pool() {
      @Override
      public Session session() throws SQLException {
        return new Local(source.getConnection());
      }

      @Override
      public boolean isBounded() {
        return bounded;
      }

      @Override
      public void close() throws Exception {
        closing.close();
      }
    };
  }

  /** Local transactions. */
  record Local(Connection connection) implements Session {
    @Override
    public void begin() throws SQLException {
      connection.setAutoCommit(false);
    }

    @Override
    public void commit() throws SQLException {
      connection.commit();
      connection.setAutoCommit(true);
    }

    @Override
    public void giveBack() throws SQLException {
      connection.close();
    }
  }

  /** Opens a pooled connection. */
  interface Opener {
    PooledConnection open() throws SQLException;
  }

  /** An application that uses pooled connections by itself. */
  static Pool ofPooled(Opener opener, boolean bounded, Closing closing) {
    return new Pool() {
      @Override
      public Session session() throws SQLException {
        PooledConnection pooled = opener.open();
        return new Handle(pooled, pooled.getConnection(), bounded);
      }

      @Override
      public boolean isBounded() {
        return bounded;
      }

      @Override
      public void close() throws Exception {
        closing.close();
      }
    };
  }

  /**
   * A handle.
   *
   * @param reused true if the data source takes the physical connection back with its handle
   */
  record Handle(PooledConnection pooled, Connection connection, boolean reused) implements Session {
    @Override
    public void begin() throws SQLException {
      connection.setAutoCommit(false);
    }

    @Override
    public void commit() throws SQLException {
      connection.commit();
      connection.setAutoCommit(true);
    }

    @Override
    public void giveBack() throws SQLException {
      connection.close();
      if (!reused) {
        pooled.close();
      }
    }
  }

  /** A transaction manager that does without two phases. */
  static Pool ofXa(XADataSource source, boolean bounded, Closing closing) {
    return new Pool() {
      @Override
      public Session session() throws SQLException {
        return new Branch(source.getXAConnection(), bounded);
      }

      @Override
      public boolean isBounded() {
        return bounded;
      }

      @Override
      public void close() throws Exception {
        closing.close();
      }
    };
  }

  /** The branches of one connection, one after another. */
  final class Branch implements Session {
    private final XAConnection xa;
    private final boolean reused;
    private final Connection connection;
    private final XAResource resource;
    private Xid xid;
    private boolean open;

    Branch(XAConnection xa, boolean reused) throws SQLException {
      this.xa = xa;
      this.reused = reused;
      this.resource = xa.getXAResource();
      this.connection = xa.getConnection();
      this.xid = Id.next();
    }

    @Override
    public Connection connection() {
      return connection;
    }

    @Override
    public void begin() throws Exception {
      xid = Id.next();
      resource.start(xid, XAResource.TMNOFLAGS);
      open = true;
    }

    @Override
    public void commit() throws Exception {
      resource.end(xid, XAResource.TMSUCCESS);
      resource.prepare(xid);
      resource.commit(xid, false);
      open = false;
    }

    @Override
    public void giveBack() throws Exception {
      if (open) {
        resource.end(xid, XAResource.TMFAIL);
        resource.rollback(xid);
        open = false;
      }
      connection.close();
      if (!reused) {
        xa.close();
      }
    }
  }

  record Id(long number) implements Xid {
    private static long count;

    static synchronized Id next() {
      return new Id((ProcessHandle.current().pid() << 20) + count++);
    }

    @Override
    public int getFormatId() {
      return 11;
    }

    @Override
    public byte[] getGlobalTransactionId() {
      return Long.toString(number).getBytes(java.nio.charset.StandardCharsets.US_ASCII);
    }

    @Override
    public byte[] getBranchQualifier() {
      return new byte[] {1};
    }
  }
}
