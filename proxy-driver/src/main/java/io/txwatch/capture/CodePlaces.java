package io.txwatch.capture;

import java.io.IOException;
import java.net.URI;
import java.net.URISyntaxException;
import java.nio.file.FileSystemNotFoundException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.CodeSource;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.jar.JarEntry;
import java.util.jar.JarFile;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * What the place that a class was loaded from says of it: an application's classes lie in
 * directories of their own, or in the jar that was started; libraries in other jars.
 *
 * <p>A jar or directory into which an application was packed together with its libraries says
 * nothing. It is known by the packages of several libraries in it.
 */
final class CodePlaces {

  /** What a place says. */
  enum Holds {
    /** The classes of the application and nothing else. */
    APPLICATION,
    /** The classes of the application and those of libraries. */
    BOTH,
    /** A library, or nobody knows. */
    OTHER
  }

  /** Where the classes of web and Spring Boot applications are packed. */
  private static final List<String> CLASSES = List.of("BOOT-INF/classes", "WEB-INF/classes");

  private static final int MAX_PLACES = 1024;

  private static final Map<String, Holds> KNOWN = new ConcurrentHashMap<>();

  private CodePlaces() {}

  /** What the place of a class says. */
  static Holds of(Class<?> type) {
    String location = location(type);
    if (location == null) {
      return Holds.OTHER;
    }
    Holds known = KNOWN.get(location);
    if (known == null) {
      known = look(location, MainClass.jar());
      if (KNOWN.size() < MAX_PLACES) {
        KNOWN.put(location, known);
      }
    }
    return known;
  }

  private static @Nullable String location(Class<?> type) {
    try {
      CodeSource source = type.getProtectionDomain().getCodeSource();
      return source == null || source.getLocation() == null
          ? null
          : source.getLocation().toString();
    } catch (SecurityException e) {
      return null;
    }
  }

  /**
   * Looks at a place.
   *
   * @param location a URL: of a directory if it ends in a slash
   * @param mainJar the jar that was started, null if none was
   */
  static Holds look(String location, @Nullable Path mainJar) {
    if (CLASSES.stream().anyMatch(location::contains)) {
      return Holds.APPLICATION;
    }
    Path path = path(location);
    if (path == null) {
      return Holds.OTHER;
    }
    if (Files.isDirectory(path)) {
      Stream<String> there =
          Libraries.FOLDERS.stream().filter(folder -> Files.isDirectory(path.resolve(folder)));
      return holds(there);
    }
    if (!path.equals(mainJar)) {
      return Holds.OTHER;
    }
    try (JarFile jar = new JarFile(path.toFile())) {
      return holds(jar.stream().map(JarEntry::getName).flatMap(CodePlaces::folder));
    } catch (IOException | RuntimeException e) {
      return Holds.BOTH;
    }
  }

  private static Stream<String> folder(String entry) {
    return Libraries.FOLDERS.stream().filter(entry::startsWith).limit(1);
  }

  /** One library's folder may be the application's own, under the library's name. */
  private static Holds holds(Stream<String> folders) {
    return folders.distinct().limit(2).count() > 1 ? Holds.BOTH : Holds.APPLICATION;
  }

  private static @Nullable Path path(String location) {
    if (!location.startsWith("file:")) {
      return null;
    }
    try {
      return Path.of(new URI(location)).toAbsolutePath().normalize();
    } catch (URISyntaxException | IllegalArgumentException | FileSystemNotFoundException e) {
      return null;
    }
  }
}
