package io.txwatch.agent;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayOutputStream;
import java.io.File;
import java.io.PrintStream;
import java.lang.instrument.ClassFileTransformer;
import java.lang.reflect.Constructor;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.Driver;
import java.sql.DriverPropertyInfo;
import java.util.ArrayList;
import java.util.List;
import java.util.Properties;
import java.util.logging.Logger;
import net.bytebuddy.ByteBuddy;
import net.bytebuddy.description.type.TypeDescription;
import net.bytebuddy.dynamic.ClassFileLocator;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

class DriverTransformerTest {

  /** An interface that another agent made, and that has no class file anywhere. */
  private static final TypeDescription WITHOUT_CLASS_FILE =
      new ByteBuddy().makeInterface().name("other.agent.Field").make().getTypeDescription();

  /** Gives a connection, but is no driver. */
  static class Opener {
    @Nullable Connection connect(String url, Properties info) {
      return null;
    }
  }

  static class OpeningDriver extends Opener implements Driver {
    @Override
    public @Nullable Connection connect(String url, Properties info) {
      return null;
    }

    @Override
    public boolean acceptsURL(String url) {
      return true;
    }

    @Override
    public DriverPropertyInfo[] getPropertyInfo(String url, Properties info) {
      return new DriverPropertyInfo[0];
    }

    @Override
    public int getMajorVersion() {
      return 1;
    }

    @Override
    public int getMinorVersion() {
      return 0;
    }

    @Override
    public boolean jdbcCompliant() {
      return false;
    }

    @Override
    public Logger getParentLogger() {
      return Logger.getGlobal();
    }
  }

  @Test
  void driverIsWatchedThoughAnotherAgentHasAddedAnInterfaceToIt() {
    byte[] advised = transformed(OpeningDriver.class);

    assertThat(advised).isNotNull();
    assertThat(new String(advised, StandardCharsets.ISO_8859_1)).contains("DriverCalls");
  }

  @Test
  void otherClassWithSuchAnInterfaceIsLeftAsItIs() {
    assertThat(transformed(Opener.class)).isNull();
  }

  /** As when an application whose loader is a child of the system class loader attaches it. */
  @Test
  void driverThatCannotReachTheAgentIsLeftAsItIsWithOneLine() throws Exception {
    List<URL> classPath = new ArrayList<>();
    for (String entry : System.getProperty("java.class.path").split(File.pathSeparator)) {
      classPath.add(Path.of(entry).toUri().toURL());
    }
    URL[] urls = classPath.toArray(URL[]::new);
    ByteArrayOutputStream printed = new ByteArrayOutputStream();
    PrintStream errors = System.err;
    try (URLClassLoader agents = new URLClassLoader(urls, ClassLoader.getPlatformClassLoader());
        URLClassLoader drivers = new URLClassLoader(new URL[0], null)) {
      Constructor<?> made =
          agents.loadClass(DriverTransformer.class.getName()).getDeclaredConstructor();
      made.setAccessible(true);
      ClassFileTransformer transformer = (ClassFileTransformer) made.newInstance();
      byte[] driver =
          new ByteBuddy()
              .makeInterface(Driver.class)
              .name("org.example.Isolated")
              .make()
              .getBytes();
      byte[] opening = ClassFileLocator.ForClassLoader.read(OpeningDriver.class);
      System.setErr(new PrintStream(printed, true, StandardCharsets.UTF_8));

      assertThat(transformer.transform(drivers, "org/example/Isolated", null, null, driver))
          .isNull();
      assertThat(printed.toString(StandardCharsets.UTF_8)).isEmpty();
      for (int i = 0; i < 2; i++) {
        assertThat(
                transformer.transform(drivers, OpeningDriver.class.getName(), null, null, opening))
            .isNull();
      }
    } finally {
      System.setErr(errors);
    }
    assertThat(printed.toString(StandardCharsets.UTF_8).lines())
        .singleElement()
        .asString()
        .startsWith(
            "txwatch: connections of " + OpeningDriver.class.getName() + " are not watched");
  }

  private static byte @Nullable [] transformed(Class<?> type) {
    byte[] changed = new ByteBuddy().redefine(type).implement(WITHOUT_CLASS_FILE).make().getBytes();
    // With dots the name is not taken for that of a class of txwatch, which would be left as it is.
    return new DriverTransformer()
        .transform(type.getClassLoader(), type.getName(), null, null, changed);
  }
}
