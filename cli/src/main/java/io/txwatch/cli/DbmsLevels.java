package io.txwatch.cli;

import io.txwatch.dbms.Dbms;
import io.txwatch.history.IsolationLevel;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;

/** Checks {@code --isolation} against the levels that a DBMS distinguishes. */
final class DbmsLevels {

  private DbmsLevels() {}

  /**
   * Requires that the DBMS has the level.
   *
   * @throws CommandException if it does not, naming its levels
   */
  static void require(Dbms dbms, IsolationLevel level) {
    List<IsolationLevel> known = new ArrayList<>(dbms.levelsOnRequest());
    known.addAll(dbms.levels());
    if (!known.contains(level)) {
      throw CommandException.badInput(
          dbms.describe()
              + " has no separate level "
              + level
              + "; it has "
              + known.stream().map(Enum::name).collect(Collectors.joining(", ")));
    }
  }
}
