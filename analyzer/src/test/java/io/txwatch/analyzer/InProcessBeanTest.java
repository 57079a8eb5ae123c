package io.txwatch.analyzer;

import static org.assertj.core.api.Assertions.assertThat;

import io.txwatch.metrics.MeterBean;
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
