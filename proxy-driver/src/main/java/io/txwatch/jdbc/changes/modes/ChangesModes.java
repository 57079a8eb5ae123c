package io.txwatch.jdbc.changes.modes;

import io.txwatch.jdbc.changes.ChangeReaders;
import io.txwatch.jdbc.changes.listener.RowIdWrites;
import io.txwatch.jdbc.changes.log.BinaryLogMode;
import io.txwatch.jdbc.changes.triggers.TriggersMode;
import java.util.List;

/** Lists the sources of row versions by value: one line each. */
public final class ChangesModes {

  /** Chooses among all of them. */
  public static final ChangeReaders READERS =
      new ChangeReaders(
          List.of(
              new BinaryLogMode(), //
              new TriggersMode()),
          List.of(new RowIdWrites()));

  private ChangesModes() {}
}
