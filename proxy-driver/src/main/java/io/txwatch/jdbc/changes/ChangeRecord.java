package io.txwatch.jdbc.changes;

import io.txwatch.changes.ChangeSource;
import java.io.IOException;
import java.util.List;

/** What a DBMS records of its changes, and how that is read. */
public interface ChangeRecord {

  /** Its name for people: "the binary log of db.example:3306". */
  String name();

  /** What it is the same as for people: of all databases in memory, the first one is named. */
  default String kind() {
    return name();
  }

  /** Whether the DBMS takes texts of CHAR that differ in trailing spaces alone as unequal. */
  default boolean comparesPadding() {
    return false;
  }

  /**
   * A source that has not been started, each time another one.
   *
   * @throws IOException if the record cannot be read, with what is missing
   */
  Opened open() throws IOException;

  /**
   * A watched session has executed a statement that is no query and no DML.
   *
   * @param home the schema whose tables it names without it
   */
  default void executed(String home, String sql) {}

  /**
   * A source of changes.
   *
   * @param limits what it will read less exactly, one line each
   */
  record Opened(ChangeSource source, List<String> limits) {}
}
