package io.txwatch.agent;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.charset.StandardCharsets;
import java.sql.Connection;
import java.sql.Driver;
import java.sql.DriverPropertyInfo;
import java.util.Properties;
import java.util.logging.Logger;
import net.bytebuddy.ByteBuddy;
import net.bytebuddy.description.type.TypeDescription;
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

  private static byte @Nullable [] transformed(Class<?> type) {
    byte[] changed = new ByteBuddy().redefine(type).implement(WITHOUT_CLASS_FILE).make().getBytes();
    // With dots the name is not taken for that of a class of txwatch, which would be left as it is.
    return new DriverTransformer()
        .transform(type.getClassLoader(), type.getName(), null, null, changed);
  }
}
