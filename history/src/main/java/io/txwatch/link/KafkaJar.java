package io.txwatch.link;

import io.txwatch.settings.Setting;
import io.txwatch.settings.Settings;
import java.io.File;
import java.io.IOException;
import java.io.Reader;
import java.net.MalformedURLException;
import java.net.URISyntaxException;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.CodeSource;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Properties;
import org.jspecify.annotations.Nullable;

/**
 * Loads {@code txwatch-kafka.jar}, which contains Kafka's client, in a class loader of its own. Its
 * classes see the JDK and the packages {@code io.txwatch.link} and {@code io.txwatch.history}, and
 * no class of the application; the application sees none of them.
 */
public final class KafkaJar {

  private static final String NAME = "txwatch-kafka.jar";
  private static final String CONNECTOR = "io.txwatch.kafka.KafkaConnector";

  private KafkaJar() {}

  /**
   * Loads the jar that {@code txwatch.kafka-jar} names, or the one beside {@code txwatch.jar}.
   *
   * @throws IOException if it is not there or is no such jar; the message states what to do
   */
  public static TopicConnector load(Settings settings) throws IOException {
    List<URL> jars = jars(settings.get(Setting.KAFKA_JAR));
    // Never closed: threads of Kafka's client may load classes after the last use.
    URLClassLoader loader = new URLClassLoader("txwatch-kafka", jars.toArray(URL[]::new), parent());
    try {
      return (TopicConnector)
          Class.forName(CONNECTOR, true, loader).getDeclaredConstructor().newInstance();
    } catch (ReflectiveOperationException | LinkageError | ClassCastException e) {
      loader.close();
      throw new IOException(
          jars + " is no " + NAME + " of this version: use the one published with txwatch.jar", e);
    }
  }

  /**
   * The options of Kafka's client: the file that {@code txwatch.kafka-config} names.
   *
   * @throws IOException if it cannot be read; the message names it
   */
  public static Properties options(Settings settings) throws IOException {
    Properties options = new Properties();
    Optional<Path> file = settings.path(Setting.KAFKA_CONFIG);
    if (file.isPresent()) {
      try (Reader reader = Files.newBufferedReader(file.get(), StandardCharsets.UTF_8)) {
        options.load(reader);
      } catch (IOException | IllegalArgumentException e) {
        throw new IOException(
            Setting.KAFKA_CONFIG.key()
                + "="
                + file.get()
                + ": expected a file of properties that can be read ("
                + e.getClass().getSimpleName()
                + ")",
            e);
      }
    }
    return options;
  }

  private static List<URL> jars(String configured) throws IOException {
    List<URL> jars = new ArrayList<>();
    if (!configured.isEmpty()) {
      for (String path : configured.split(File.pathSeparator)) {
        if (!new File(path).exists()) {
          throw new IOException(
              Setting.KAFKA_JAR.key() + "=" + configured + ": there is no file " + path);
        }
        jars.add(url(new File(path)));
      }
      return jars;
    }
    File folder = ownFolder();
    File beside = new File(folder, NAME);
    if (!beside.isFile()) {
      throw new IOException(
          NAME
              + " is not in "
              + folder
              + ": put it there, or name it with "
              + Setting.KAFKA_JAR.key());
    }
    jars.add(url(beside));
    return jars;
  }

  private static File ownFolder() throws IOException {
    CodeSource source = KafkaJar.class.getProtectionDomain().getCodeSource();
    try {
      File folder =
          source == null ? null : new File(source.getLocation().toURI()).getAbsoluteFile();
      folder = folder == null ? null : folder.getParentFile();
      if (folder != null) {
        return folder;
      }
    } catch (URISyntaxException | IllegalArgumentException e) {
      // The classes are in no file of their own: nested in another jar, for example.
    }
    throw new IOException(
        "the folder of txwatch.jar is unknown: name " + NAME + " with " + Setting.KAFKA_JAR.key());
  }

  private static URL url(File file) throws MalformedURLException {
    return file.toURI().toURL();
  }

  private static ClassLoader parent() {
    return new SharedTypes(KafkaJar.class.getClassLoader());
  }

  /** Passes on the JDK and the types that both sides use. */
  private static final class SharedTypes extends ClassLoader {

    private final @Nullable ClassLoader own;

    SharedTypes(@Nullable ClassLoader own) {
      super(ClassLoader.getPlatformClassLoader());
      this.own = own;
    }

    @Override
    protected Class<?> findClass(String name) throws ClassNotFoundException {
      if (name.startsWith("io.txwatch.link.") || name.startsWith("io.txwatch.history.")) {
        return Class.forName(name, false, own);
      }
      throw new ClassNotFoundException(name);
    }
  }
}
