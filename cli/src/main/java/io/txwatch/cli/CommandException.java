package io.txwatch.cli;

/** Ends a command with an error line and an exit code. */
final class CommandException extends RuntimeException {

  private static final long serialVersionUID = 1;

  private final int exitCode;

  private CommandException(int exitCode, String message) {
    super(message);
    this.exitCode = exitCode;
  }

  /** For an unusable command line or input. */
  static CommandException badInput(String message) {
    return new CommandException(ExitCode.BAD_INPUT, message);
  }

  /** For an unreachable DBMS. */
  static CommandException unreachable(String message) {
    return new CommandException(ExitCode.UNREACHABLE, message);
  }

  /** The same for what an option names. */
  CommandException of(String option) {
    return new CommandException(exitCode, option + ": " + getMessage());
  }

  int exitCode() {
    return exitCode;
  }
}
