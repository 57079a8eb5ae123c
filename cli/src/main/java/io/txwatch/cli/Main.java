package io.txwatch.cli;

import io.txwatch.history.HistoryFormatException;
import io.txwatch.servers.ServerUnavailableException;
import io.txwatch.settings.ClosestMatch;
import io.txwatch.settings.SettingException;
import java.io.FileDescriptor;
import java.io.FileOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.io.OutputStreamWriter;
import java.io.PrintWriter;
import java.nio.charset.StandardCharsets;
import java.nio.file.AccessDeniedException;
import java.nio.file.NoSuchFileException;
import java.sql.SQLException;
import java.util.List;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.UnmatchedArgumentException;

/** The main class of {@code txwatch.jar}. */
public final class Main {

  /** More than the five seconds in which what was recorded is written at the end. */
  private static final long MAX_EXIT_MILLIS = 10_000;

  private Main() {}

  /** Runs a command line and exits with its code. */
  public static void main(String[] args) {
    FuzzJvm.run(args).ifPresent(Main::exit);
    PrintWriter out = utf8(new FileOutputStream(FileDescriptor.out));
    if (Terminal.hasColour()) {
      out = new PrintWriter(new ColourWriter(out), false);
    }
    PrintWriter err = utf8(new FileOutputStream(FileDescriptor.err));
    exit(run(out, err, args));
  }

  /**
   * Ends this JVM. An embedded database that still executes a statement without an end holds its
   * own shutdown hook up, and with it the JVM: after a time the hooks are not awaited.
   */
  private static void exit(int code) {
    Thread last = new Thread(null, () -> halt(code), "txwatch-exit", 0, false);
    last.setDaemon(true);
    last.start();
    System.exit(code);
  }

  private static void halt(int code) {
    try {
      Thread.sleep(MAX_EXIT_MILLIS);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
    Runtime.getRuntime().halt(code);
  }

  /** Runs a command line and returns its exit code. */
  static int run(PrintWriter out, PrintWriter err, String... args) {
    return run(out, err, null, args);
  }

  /**
   * Runs a command line and returns its exit code.
   *
   * @param sessions where the sessions that the command opens are registered; null for nowhere
   */
  static int run(
      PrintWriter out, PrintWriter err, @Nullable OpenSessions sessions, String... args) {
    CommandLine commandLine =
        new CommandLine(new TxWatchCommand())
            .setOut(out)
            .setErr(err)
            .setCaseInsensitiveEnumValuesAllowed(true)
            .setUsageHelpWidth(100)
            .setParameterExceptionHandler((e, arguments) -> badUsage(e))
            .setExecutionStrategy(
                parsed -> {
                  register(sessions, parsed);
                  return new CommandLine.RunLast().execute(parsed);
                })
            .setExecutionExceptionHandler((e, command, parsed) -> failed(e, command.getErr()));
    int code = commandLine.execute(args);
    out.flush();
    err.flush();
    return code;
  }

  private static void register(@Nullable OpenSessions sessions, CommandLine.ParseResult parsed) {
    for (CommandLine command : parsed.asCommandLineList()) {
      for (Object mixin : command.getMixins().values()) {
        if (mixin instanceof DatabaseOptions options) {
          options.sessions = sessions;
        }
      }
    }
  }

  private static int badUsage(ParameterException e) {
    CommandLine command = e.getCommandLine();
    PrintWriter err = command.getErr();
    err.println(
        "txwatch: "
            + oneLine(
                e instanceof UnmatchedArgumentException unmatched
                    ? unknown(command, unmatched.getUnmatched().get(0))
                    : message(e)));
    err.println("see: " + command.getCommandSpec().qualifiedName() + " --help");
    return ExitCode.BAD_INPUT;
  }

  /** Describes an unknown argument, with the nearest known one. */
  private static String unknown(CommandLine command, String typed) {
    boolean option = typed.startsWith("-");
    List<String> known =
        List.copyOf(
            option
                ? command.getCommandSpec().optionsMap().keySet()
                : command.getSubcommands().keySet());
    if (known.isEmpty()) {
      return "unexpected argument '" + typed + "'";
    }
    return (option ? "unknown option '" : "unknown command '")
        + typed
        + ClosestMatch.find(typed, known)
            .map(near -> "', did you mean " + near + "?")
            .orElse("', expected one of " + String.join(", ", known));
  }

  /** What was wrong, in a line. */
  static String describe(Exception e) {
    return oneLine(
        e instanceof NoSuchFileException
            ? "no such file: " + message(e)
            : e instanceof AccessDeniedException
                ? "no permission to read " + message(e)
                : message(e));
  }

  private static int failed(Exception e, PrintWriter err) {
    if (e instanceof CommandException known) {
      return fail(err, known.exitCode(), describe(e));
    } else if (e instanceof ServerUnavailableException) {
      return fail(err, ExitCode.UNREACHABLE, message(e));
    } else if (e instanceof SQLException) {
      return fail(err, ExitCode.UNREACHABLE, "error of the DBMS: " + message(e));
    } else if (e instanceof HistoryFormatException || e instanceof SettingException) {
      return fail(err, ExitCode.BAD_INPUT, message(e));
    } else if (e instanceof IOException) {
      return fail(err, ExitCode.BAD_INPUT, describe(e));
    }
    err.println("txwatch: internal error, please report it with these lines:");
    e.printStackTrace(err);
    return ExitCode.INTERNAL;
  }

  private static int fail(PrintWriter err, int code, String message) {
    err.println("txwatch: " + oneLine(message));
    return code;
  }

  private static String message(Exception e) {
    String message = e.getMessage();
    return message == null ? e.getClass().getSimpleName() : message;
  }

  private static String oneLine(String message) {
    return message.strip().replaceAll("\\p{Cntrl}+", " ");
  }

  private static PrintWriter utf8(OutputStream stream) {
    return new PrintWriter(new OutputStreamWriter(stream, StandardCharsets.UTF_8), false);
  }
}
