package io.txwatch.capture;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.util.jar.Attributes;
import java.util.jar.JarFile;
import java.util.jar.Manifest;
import org.jspecify.annotations.Nullable;

/**
 * The program that the JVM was started with: {@code java -jar service.jar}, or {@code java
 * com.example.Service}.
 */
final class MainClass {

  private static final String COMMAND = System.getProperty("sun.java.command", "").strip();

  private MainClass() {}

  /** Returns the started jar; null if a class was started. */
  static @Nullable Path jar() {
    return Holder.JAR;
  }

  /** Returns the main class; empty if it is unknown or a launcher. */
  static String name() {
    return Holder.NAME;
  }

  /** Initialized on first use. */
  private static final class Holder {
    private static final @Nullable Path JAR = findJar(COMMAND);
    private static final String NAME = application(findName(COMMAND, JAR));
  }

  private static @Nullable Path findJar(String command) {
    // A path may have spaces, and arguments follow it.
    for (int end = command.indexOf(".jar"); end >= 0; end = command.indexOf(".jar", end + 1)) {
      try {
        Path jar = Path.of(command.substring(0, end + ".jar".length()));
        if (Files.isRegularFile(jar)) {
          return jar.toAbsolutePath().normalize();
        }
      } catch (InvalidPathException e) {
        return null;
      }
    }
    return null;
  }

  private static String findName(String command, @Nullable Path jar) {
    if (jar == null) {
      String first = command.split("\\s", 2)[0];
      return first.substring(first.lastIndexOf('/') + 1); // behind a module's name
    }
    try (JarFile file = new JarFile(jar.toFile())) {
      Manifest manifest = file.getManifest();
      String name =
          manifest == null
              ? null
              : manifest.getMainAttributes().getValue(Attributes.Name.MAIN_CLASS);
      return name == null ? "" : name.strip();
    } catch (IOException | RuntimeException e) {
      return "";
    }
  }

  private static String application(String name) {
    return KnownLibraries.LAUNCHERS.stream().anyMatch(name::startsWith) ? "" : name;
  }
}
