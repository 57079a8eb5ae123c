package io.txwatch.cli;

import io.txwatch.dbms.Dbms;
import io.txwatch.history.IsolationLevel;
import java.util.stream.Collectors;

/** The levels that a DBMS tells apart, as {@code --isolation} asks for them. */
final class DbmsLevels {

  private DbmsLevels() {}

  /**
   * Checks that the DBMS has the level.
   *
   * @throws CommandException if it has not, naming those that it has
   */
  static void require(Dbms dbms, IsolationLevel level) {
    if (!dbms.levels().contains(level)) {
      throw CommandException.badInput(
          dbms.describe()
              + " has no level of its own called "
              + level
              + "; it has "
              + dbms.levels().stream().map(Enum::name).collect(Collectors.joining(", ")));
    }
  }
}
