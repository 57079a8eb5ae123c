package io.txwatch.bench;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** Command lines of processes of this JVM's JDK. */
public final class JdkProcess {

  private JdkProcess() {}

  /** The path of a program of the JDK. */
  public static Path program(String name) {
    return Path.of(System.getProperty("java.home"), "bin", name);
  }

  /** The command line of a class on this JVM's class path. */
  public static List<String> ofClass(
      List<String> jvmOptions, Class<?> main, List<String> arguments) {
    List<String> command = new ArrayList<>();
    command.add(program("java").toString());
    command.addAll(jvmOptions);
    command.addAll(List.of("-cp", System.getProperty("java.class.path"), main.getName()));
    command.addAll(arguments);
    return command;
  }

  /** The command line of a jar. */
  public static List<String> ofJar(List<String> jvmOptions, Path jar, List<String> arguments) {
    List<String> command = new ArrayList<>();
    command.add(program("java").toString());
    command.addAll(jvmOptions);
    command.addAll(List.of("-jar", jar.toString()));
    command.addAll(arguments);
    return command;
  }
}
