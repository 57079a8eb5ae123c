package io.txwatch.cli;

/** Ends a command with a line for people and an exit code. */
final class CommandException extends RuntimeException {

  private static final long serialVersionUID = 1;

  private final int exitCode;

  private CommandException(int exitCode, String message) {
    super(message);
    this.exitCode = exitCode;
  }

  /** The command line, or what it names, is not usable. */
  static CommandException badInput(String message) {
    return new CommandException(ExitCode.BAD_INPUT, message);
  }

  /** The DBMS is out of reach. */
  static CommandException unreachable(String message) {
    return new CommandException(ExitCode.UNREACHABLE, message);
  }

  int exitCode() {
    return exitCode;
  }
}
