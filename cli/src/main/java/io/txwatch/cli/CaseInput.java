package io.txwatch.cli;

import io.txwatch.dbms.Dbms;
import io.txwatch.history.IsolationLevel;
import io.txwatch.testcase.CaseFormatException;
import io.txwatch.testcase.CaseReader;
import io.txwatch.testcase.TestCase;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.Objects;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** Reads and checks what the commands that execute cases are given. */
final class CaseInput {

  private CaseInput() {}

  /**
   * Reads a case.
   *
   * @throws CommandException if the file is not a case
   */
  static TestCase read(Path file) throws IOException {
    if (!Files.exists(file)) {
      throw new NoSuchFileException(file.toString());
    }
    if (Files.isDirectory(file)) {
      throw CommandException.badInput(file + " is a directory, expected a file");
    }
    try {
      return CaseReader.read(file);
    } catch (CaseFormatException e) {
      throw CommandException.badInput(Objects.requireNonNull(e.getMessage()));
    }
  }

  /**
   * Requires that all connections of a URL have the same database.
   *
   * @throws CommandException if each has one of its own
   */
  static void requireNamedDatabase(String url) {
    Optional<String> named = CommandDbms.of(url).flatMap(known -> known.named(url, "cases"));
    if (named.isPresent()) {
      throw CommandException.badInput(
          "each connection has its own database without a name: name it, as in " + named.get());
    }
  }

  /**
   * Requires that the database of a connection is empty.
   *
   * @param shown its URL, for display
   * @throws CommandException if it contains tables
   */
  static void requireEmpty(Connection connection, String shown) throws SQLException {
    try {
      EmptyDatabaseCheck.requireEmpty(connection, shown);
    } catch (CommandException e) {
      throw CommandException.badInput(
          e.getMessage() + " (or use --allow-any-database: the SQL of a case runs as it is)");
    }
  }

  /**
   * The case at the level of {@code --isolation}, which takes precedence over levels of single
   * sessions.
   *
   * @param isolation null if the option is not given
   */
  static TestCase atLevel(TestCase testCase, @Nullable IsolationLevel isolation) {
    TestCase plain = testCase;
    if (isolation != null) {
      for (String session : testCase.sessions()) {
        plain = plain.withoutHeader(TestCase.LEVEL_HEADER + session);
      }
    }
    return plain;
  }

  /**
   * The level of sessions without one of their own.
   *
   * @param isolation of {@code --isolation}; null if it is not given
   * @throws CommandException if neither the option nor the case has a level, or the DBMS lacks one
   */
  static IsolationLevel level(
      Dbms dbms, Path file, TestCase testCase, @Nullable IsolationLevel isolation) {
    IsolationLevel level = isolation;
    if (level == null) {
      level =
          testCase
              .header("isolation")
              .flatMap(IsolationLevel::parse)
              .orElseThrow(
                  () ->
                      CommandException.badInput(
                          file + " names no level: give one, such as --isolation RC"));
    }
    for (String session : testCase.sessions()) {
      DbmsLevels.require(dbms, testCase.levelOf(session, level));
    }
    return level;
  }
}
