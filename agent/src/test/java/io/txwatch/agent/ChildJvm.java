package io.txwatch.agent;

import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.jar.Attributes;
import java.util.jar.JarOutputStream;
import java.util.jar.Manifest;
import org.example.app.Application;

/**
 * Runs an application in a JVM of its own, {@link Application} with the agent in front.
 *
 * @param exitCode its exit code
 * @param lines what it printed
 * @param errors what it printed on standard error
 */
record ChildJvm(int exitCode, List<String> lines, String errors) {

  /** Runs it with {@code -javaagent:agent.jar=arguments}, in the given working directory. */
  static ChildJvm withAgent(Path directory, String arguments, String... mainArguments)
      throws IOException, InterruptedException {
    return run(
        directory, List.of(agent(directory, arguments)), Application.class, List.of(mainArguments));
  }

  /** The option that puts the agent in front, with its arguments. */
  static String agent(Path directory, String arguments) throws IOException {
    Path jar = directory.resolve("agent.jar");
    if (Files.notExists(jar)) {
      manifestOnly(jar);
    }
    return "-javaagent:" + jar + "=" + arguments;
  }

  /** The classes are on the class path; the jar only names the agent class. */
  private static void manifestOnly(Path jar) throws IOException {
    Manifest manifest = new Manifest();
    Attributes attributes = manifest.getMainAttributes();
    attributes.put(Attributes.Name.MANIFEST_VERSION, "1.0");
    attributes.putValue("Premain-Class", TxWatchAgent.class.getName());
    attributes.putValue("Can-Retransform-Classes", "true");
    try (OutputStream out = Files.newOutputStream(jar);
        JarOutputStream written = new JarOutputStream(out, manifest)) {
      written.finish();
    }
  }

  /** Runs a class in a working directory of its own. */
  static ChildJvm run(
      Path directory, List<String> options, Class<?> main, List<String> mainArguments)
      throws IOException, InterruptedException {
    List<String> command = new ArrayList<>();
    command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    command.add("-Dslf4j.internal.verbosity=ERROR"); // that there is no provider
    command.addAll(options);
    command.add("-cp");
    command.add(
        System.getProperty("surefire.test.class.path", System.getProperty("java.class.path")));
    command.add(main.getName());
    command.addAll(mainArguments);
    Path out = directory.resolve("out");
    Path err = directory.resolve("err");
    Process process =
        new ProcessBuilder(command)
            .directory(directory.toFile())
            .redirectOutput(out.toFile())
            .redirectError(err.toFile())
            .start();
    try {
      int code = process.waitFor();
      return new ChildJvm(
          code,
          Files.readAllLines(out, StandardCharsets.UTF_8),
          Files.readString(err, StandardCharsets.UTF_8));
    } finally {
      process.destroyForcibly();
    }
  }
}
