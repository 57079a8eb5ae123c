package io.txwatch.jdbc.changes.log;

import io.txwatch.changes.ConnectionOpener;
import io.txwatch.changes.Probe;
import io.txwatch.changes.binlog.BinaryLogSource;
import io.txwatch.changes.binlog.ServerAddress;
import io.txwatch.jdbc.changes.ChangeRecord;
import java.io.IOException;

/**
 * The binary log of MySQL or MariaDB.
 *
 * @param opener opens connections that ask for definitions and for the end of the log
 */
record BinaryLog(ServerAddress address, ConnectionOpener opener) implements ChangeRecord {

  @Override
  public String name() {
    return "the binary log of " + address.host() + ":" + address.port();
  }

  @Override
  public Opened open() throws IOException {
    Probe probe = BinaryLogSource.probe(opener);
    if (!probe.isReadable()) {
      throw new IOException(probe.missing());
    }
    return new Opened(new BinaryLogSource(address, opener), probe.limits());
  }
}
