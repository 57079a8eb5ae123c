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
 * Classifies the locations from which classes are loaded: an application's classes are in
 * directories or in the started jar, libraries in other jars.
 *
 * <p>A jar or directory that contains an application together with its libraries does not identify
 * either. It is recognized by the packages of several libraries in it.
 */
final class CodeLocations {

  /** The content of a location. */
  enum Holds {
    /** Only the application's classes. */
    APPLICATION,
    /** The application's classes and those of libraries. */
    BOTH,
    /** A library, or unknown content. */
    OTHER
  }

  /** The directories of the application's classes in web archives and Spring Boot jars. */
  private static final List<String> CLASSES = List.of("BOOT-INF/classes", "WEB-INF/classes");

  private static final int MAX_CACHED_LOCATIONS = 1024;

  private static final Map<String, Holds> CACHE = new ConcurrentHashMap<>();

  private CodeLocations() {}

  /** Returns the content of the location of a class. */
  static Holds of(Class<?> type) {
    String location = location(type);
    if (location == null) {
      return Holds.OTHER;
    }
    Holds known = CACHE.get(location);
    if (known == null) {
      known = inspect(location, MainClass.jar());
      if (CACHE.size() < MAX_CACHED_LOCATIONS) {
        CACHE.put(location, known);
      }
    }
    return known;
  }

  /** Where a class was loaded from, as a URL; null if unknown. */
  static @Nullable String location(Class<?> type) {
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
   * Determines the content of a location.
   *
   * @param location a URL; a directory's URL ends with a slash
   * @param mainJar the started jar, or null
   */
  static Holds inspect(String location, @Nullable Path mainJar) {
    if (CLASSES.stream().anyMatch(location::contains)) {
      return Holds.APPLICATION;
    }
    Path path = path(location);
    if (path == null) {
      return Holds.OTHER;
    }
    if (Files.isDirectory(path)) {
      Stream<String> there =
          KnownLibraries.FOLDERS.stream().filter(folder -> Files.isDirectory(path.resolve(folder)));
      return holds(there);
    }
    if (!path.equals(mainJar)) {
      return Holds.OTHER;
    }
    try (JarFile jar = new JarFile(path.toFile())) {
      return holds(jar.stream().map(JarEntry::getName).flatMap(CodeLocations::folder));
    } catch (IOException | RuntimeException e) {
      return Holds.BOTH;
    }
  }

  private static Stream<String> folder(String entry) {
    return KnownLibraries.FOLDERS.stream().filter(entry::startsWith).limit(1);
  }

  /**
   * A single library's folder may belong to the application itself, if it uses the library's
   * package name.
   */
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
