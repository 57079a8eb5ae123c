package io.txwatch.analyzer;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.txwatch.metrics.MeterBean;
import io.txwatch.settings.ObservationLevel;
import java.lang.management.ManagementFactory;
import java.util.ArrayList;
import java.util.List;
import javax.management.MBeanServer;
import javax.management.ObjectName;
import org.junit.jupiter.api.Test;

class InProcessBeanTest {

  @Test
  void analyzersShareTheBeanAndTheLastOneRemovesIt() throws Exception {
    MBeanServer server = ManagementFactory.getPlatformMBeanServer();
    ObjectName name = new ObjectName(MeterBean.NAME);
    List<String> notes = new ArrayList<>();
    Runnable one = InProcessBean.use(notes::add);
    Runnable other = InProcessBean.use(notes::add);
    assertThat(server.getAttribute(name, "Transactions")).isInstanceOf(Long.class);
    one.run();
    assertThat(server.isRegistered(name)).isTrue();
    other.run();
    assertThat(server.isRegistered(name)).isFalse();
    assertThat(notes).isEmpty();
  }

  /** The last connection may be closed while it is off. */
  @Test
  void observationIsSwitchedOffAndOnAgain() throws Exception {
    MBeanServer server = ManagementFactory.getPlatformMBeanServer();
    ObjectName name = new ObjectName(MeterBean.NAME);
    try {
      Runnable one = InProcessBean.use(note -> {});
      assertThat(change(server, "OFF")).isEqualTo("off");
      one.run();
      assertThat(change(server, "items")).isEqualTo("items");
      assertThat(ObservationLevel.changed()).contains("items");
      assertThatThrownBy(() -> change(server, "itms")).rootCause().hasMessageContaining("items");
      InProcessBean.use(note -> {}).run();
      assertThat(server.isRegistered(name)).isFalse();
    } finally {
      ObservationLevel.reset();
    }
  }

  private static Object change(MBeanServer server, String level) throws Exception {
    return server.invoke(
        new ObjectName(MeterBean.NAME),
        "changeInstrument",
        new Object[] {level},
        new String[] {String.class.getName()});
  }

  @Test
  void beanThatIsRegisteredAlreadyIsReportedAndTheApplicationGoesOn() throws Exception {
    List<String> notes = new ArrayList<>();
    try (MeterBean ofAnother = MeterBean.open(new ProcessSource())) {
      assertThat(ofAnother).isNotNull();
      InProcessBean.use(notes::add).run();
    }
    assertThat(notes)
        .singleElement()
        .satisfies(note -> assertThat(note).startsWith("txwatch.jmx=on: there is no bean: "));
  }
}
