package io.txwatch.cli;

import com.sun.tools.attach.AgentInitializationException;
import com.sun.tools.attach.AgentLoadException;
import com.sun.tools.attach.AttachNotSupportedException;
import com.sun.tools.attach.VirtualMachine;
import io.txwatch.agent.TxWatchAgent;
import io.txwatch.settings.SettingException;
import io.txwatch.settings.Settings;
import java.io.IOException;
import java.net.URISyntaxException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** {@code attach}: loads the agent into a running JVM. */
@Command(
    name = "attach",
    description = {
      "Watches a JVM that is running: connections that it opens from now on.",
      "Those that are open stay as they are until the pool replaces them.",
      "If the agent runs there already, instrument=LEVEL changes how much is observed, and",
      "instrument=off ends it, for open connections, too: from their next transaction on.",
      ""
    },
    mixinStandardHelpOptions = true,
    versionProvider = TxWatchCommand.Version.class,
    sortOptions = false,
    footer = {
      "",
      "Examples:",
      "  txwatch attach 4711",
      "  txwatch attach 4711 report=/tmp/anomalies.jsonl http=7077",
      "  txwatch attach 4711 instrument=off",
      "",
      "Start the JVM with -javaagent:txwatch.jar to watch all of its connections. The agent stays",
      "until the JVM ends. It runs as the same user, on the same machine.",
      ""
    })
final class AttachCommand implements Callable<Integer> {

  private static final String POOLS =
      "For all of a pool at once, let it replace its connections (HikariCP:"
          + " softEvictConnections by JMX), or wait for their maximum lifetime.";

  @Spec private CommandSpec spec = CommandSpec.create();

  @Parameters(index = "0", paramLabel = "PID", description = "The process id of the JVM.")
  private String pid = "";

  @Parameters(
      index = "1..*",
      paramLabel = "KEY=VALUE",
      description =
          "Settings, as the agent's arguments. Files must be given with their full paths.")
  private List<String> settings = new ArrayList<>();

  @Override
  public Integer call() {
    String arguments = String.join(",", settings);
    try {
      Settings.ofAgentArguments(arguments);
    } catch (SettingException e) {
      throw CommandException.badInput(String.valueOf(e.getMessage()));
    }
    Console.of(spec).note(load(arguments));
    return ExitCode.CLEAN;
  }

  private static String changed(String pid, String exceptions) {
    String done =
        "txwatch.instrument is changed in process "
            + pid
            + "; open connections follow from their next transaction on.";
    return exceptions.isEmpty()
        ? done
        : done + System.lineSeparator() + exceptions + "." + System.lineSeparator() + POOLS;
  }

  /** Returns what was done. */
  private String load(String arguments) {
    Path jar = jar();
    try {
      VirtualMachine target = VirtualMachine.attach(pid);
      try {
        boolean runs = target.getSystemProperties().containsKey(TxWatchAgent.RUNNING);
        String level = runs ? levelToSet(arguments) : "";
        target.loadAgent(jar.toString(), arguments);
        if (runs && !level.equals(target.getSystemProperties().getProperty(TxWatchAgent.LEVEL))) {
          throw CommandException.badInput(
              "the agent in process "
                  + pid
                  + " was attached by the application: set instrument there, by JMX or Actuator");
        }
        return runs
            ? changed(pid, target.getSystemProperties().getProperty(TxWatchAgent.EXCEPTIONS, ""))
            : "The agent is in process "
                + pid
                + ". Connections that it opens from now on are watched; those that are open are not."
                + System.lineSeparator()
                + POOLS;
      } finally {
        target.detach();
      }
    } catch (AttachNotSupportedException | IOException e) {
      throw CommandException.badInput(
          "process "
              + pid
              + " cannot be attached to ("
              + e.getMessage()
              + "): expected the id of a JVM of this user on this machine that was not started with"
              + " -XX:+DisableAttachMechanism");
    } catch (NoClassDefFoundError e) {
      throw CommandException.badInput("attach needs a JDK: this Java runtime lacks jdk.attach");
    } catch (AgentLoadException | AgentInitializationException e) {
      throw CommandException.badInput(
          "process " + pid + " does not load the agent: " + e.getMessage());
    }
  }

  private String levelToSet(String arguments) {
    try {
      return Settings.changedLevel(arguments);
    } catch (SettingException e) {
      throw CommandException.badInput(
          "process " + pid + " has the agent already: " + e.getMessage());
    }
  }

  /** The jar that this class is in. */
  private static Path jar() {
    try {
      Path jar =
          Path.of(AttachCommand.class.getProtectionDomain().getCodeSource().getLocation().toURI());
      if (Files.isRegularFile(jar)) {
        return jar;
      }
    } catch (URISyntaxException e) {
      throw new IllegalStateException(e);
    }
    throw CommandException.badInput("attach needs txwatch.jar: java -jar txwatch.jar attach PID");
  }
}
