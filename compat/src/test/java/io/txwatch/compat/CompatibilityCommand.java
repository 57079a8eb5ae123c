package io.txwatch.compat;

import io.txwatch.compat.ApplicationRun.Installation;
import io.txwatch.servers.Directories;
import io.txwatch.servers.ServerKind;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.stream.Stream;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;
import picocli.CommandLine.TypeConversionException;

/** The command {@code compat/run}. */
@Command(
    name = "compat/run",
    description = {
      "Runs small applications unwatched, with the agent, with the URL, and with the agent's defaults.",
      "",
      "Compares what they print: rows, keys, counts, errors, metadata, and what their libraries log."
          + " In all watched runs the lost update must be reported with the lines of the"
          + " application, and nothing else. Each run has a JVM and a database of its own.",
      "",
      "Exit code: 0 if nothing differs, 1 if anything does, 2 if the command line is wrong."
    },
    mixinStandardHelpOptions = true)
final class CompatibilityCommand implements Callable<Integer> {

  @Spec private CommandSpec spec = CommandSpec.create();

  @Parameters(
      paramLabel = "APPLICATION",
      arity = "0..*",
      description = "the applications to run; default: all (--list)")
  private List<String> names = List.of();

  @Option(names = "--list", description = "list the applications")
  private boolean list;

  @Option(
      names = "--db",
      split = ",",
      converter = KindConverter.class,
      description = "h2, postgresql, mariadb; default: those that belong to each application")
  private Set<ServerKind> kinds = Set.of();

  @Option(
      names = "--java",
      description = "the java command that runs them; default: ${DEFAULT-VALUE}")
  private Path java = Path.of(System.getProperty("java.home"), "bin", "java");

  @Option(names = "--jar", required = true, description = "txwatch.jar", hidden = true)
  private Path jar = Path.of("");

  @Option(names = "--module", required = true, description = "this module", hidden = true)
  private Path module = Path.of("");

  @Option(names = "--out", description = "keep what each run wrote in this folder, a new one")
  private Path out = Path.of("");

  @Override
  public Integer call() throws IOException {
    PrintStream print = new PrintStream(System.out, true, StandardCharsets.UTF_8);
    if (list) {
      Stream.of(Application.values()).map(Application::label).forEach(print::println);
      return 0;
    }
    List<Application> applications = applications();
    checkArguments(applications);
    Path folder =
        out.toString().isEmpty()
            ? Files.createTempDirectory("txwatch-compat")
            : out.toAbsolutePath();
    try {
      return run(applications, new Installation(module, java, jar), folder, print) ? 0 : 1;
    } finally {
      if (out.toString().isEmpty()) {
        Directories.delete(folder);
      }
    }
  }

  private List<Application> applications() {
    return names.isEmpty()
        ? List.of(Application.values())
        : names.stream().map(this::application).toList();
  }

  private Application application(String label) {
    return Stream.of(Application.values())
        .filter(each -> each.label().equalsIgnoreCase(label))
        .findFirst()
        .orElseThrow(() -> wrong("'" + label + "' is none of those of --list"));
  }

  private void checkArguments(List<Application> applications) {
    for (Application application : applications) {
      for (ServerKind kind : kinds) {
        if (!names.isEmpty() && !application.runsOn(kind)) {
          throw wrong(application.label() + " does not run on " + label(kind));
        }
      }
    }
    if (!Files.isExecutable(java) || Files.isDirectory(java)) {
      throw wrong("--java: there is no command " + java);
    }
    if (!out.toString().isEmpty() && Files.exists(out)) {
      throw wrong("--out: " + out + " exists");
    }
  }

  private ParameterException wrong(String message) {
    return new ParameterException(spec.commandLine(), message);
  }

  /** True if nothing differs. */
  private boolean run(
      List<Application> applications, Installation installation, Path folder, PrintStream print)
      throws IOException {
    print.println(
        "| application | DBMS | lines | anomalies (agent / URL / default) | differences |");
    print.println("|---|---|---:|---:|---:|");
    boolean same = true;
    for (Application application : applications) {
      for (ServerKind kind : kinds.isEmpty() ? application.defaultKinds() : kinds) {
        if (application.runsOn(kind)) {
          Comparison comparison =
              Comparison.of(
                  installation,
                  application,
                  kind,
                  Files.createDirectories(folder.resolve(application.label() + "-" + label(kind))));
          print.println(comparison.row());
          comparison.faults().forEach(print::println);
          same &= comparison.faults().isEmpty();
        }
      }
    }
    return same;
  }

  private static String label(ServerKind kind) {
    return kind.name().toLowerCase(Locale.ROOT);
  }

  /** A DBMS that applications of the suite run on. */
  private static final class KindConverter implements ITypeConverter<ServerKind> {
    @Override
    public ServerKind convert(String name) {
      return Application.KINDS.stream()
          .filter(each -> label(each).equals(name.toLowerCase(Locale.ROOT)))
          .findFirst()
          .orElseThrow(
              () ->
                  new TypeConversionException("'" + name + "' is none of h2, postgresql, mariadb"));
    }
  }

  /** Runs a command line and exits with its code: 1 if anything differs. */
  public static void main(String[] arguments) {
    System.exit(new CommandLine(new CompatibilityCommand()).execute(arguments));
  }
}
