package io.txwatch.metrics;

import io.txwatch.live.LiveSource;
import java.lang.management.ManagementFactory;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import javax.management.Attribute;
import javax.management.AttributeList;
import javax.management.AttributeNotFoundException;
import javax.management.DynamicMBean;
import javax.management.JMException;
import javax.management.MBeanAttributeInfo;
import javax.management.MBeanInfo;
import javax.management.MBeanServer;
import javax.management.ObjectName;
import org.jspecify.annotations.Nullable;

/**
 * The meters as a bean of JMX, {@value #NAME}: a read-only attribute for each value, {@code
 * StatementsObserved} or {@code Gaps.SHAPE}. It keeps its class loader reachable until it is
 * closed.
 */
public final class MeterBean implements DynamicMBean, AutoCloseable {

  /** The name of the bean. */
  public static final String NAME = "io.txwatch:type=Analyzer";

  private record Value(Meter meter, Meter.Series series) {}

  private final LiveSource source;
  private final MBeanServer server;
  private final ObjectName name;
  private final Map<String, Value> values = new LinkedHashMap<>();

  private MeterBean(LiveSource source, MBeanServer server) throws JMException {
    this.source = source;
    this.server = server;
    this.name = new ObjectName(NAME);
    for (Meter meter : Meter.values()) {
      for (Meter.Series series : meter.series()) {
        List<String> words = new ArrayList<>(List.of(camelCase(meter)));
        words.addAll(series.labels().values());
        values.put(String.join(".", words), new Value(meter, series));
      }
    }
  }

  /**
   * Registers the bean.
   *
   * @throws JMException if the JVM has one already
   */
  public static MeterBean open(LiveSource source) throws JMException {
    MeterBean bean = new MeterBean(source, ManagementFactory.getPlatformMBeanServer());
    bean.server.registerMBean(bean, bean.name);
    return bean;
  }

  @Override
  public void close() {
    try {
      server.unregisterMBean(name);
    } catch (JMException e) {
      // Someone else has removed it.
    }
  }

  private static String camelCase(Meter meter) {
    StringBuilder text = new StringBuilder();
    for (String word : meter.name().split("_")) {
      text.append(word.charAt(0)).append(word.substring(1).toLowerCase(java.util.Locale.ROOT));
    }
    return text.toString();
  }

  @Override
  public Object getAttribute(String attribute) throws AttributeNotFoundException {
    Value value = values.get(attribute);
    if (value == null) {
      throw new AttributeNotFoundException(attribute);
    }
    return value.series().value(Measurement.of(source));
  }

  @Override
  public AttributeList getAttributes(String[] names) {
    Measurement measurement = Measurement.of(source);
    AttributeList list = new AttributeList();
    for (String attribute : names) {
      Value value = values.get(attribute);
      if (value != null) {
        list.add(new Attribute(attribute, value.series().value(measurement)));
      }
    }
    return list;
  }

  @Override
  public MBeanInfo getMBeanInfo() {
    MBeanAttributeInfo[] attributes =
        values.entrySet().stream()
            .map(
                entry ->
                    new MBeanAttributeInfo(
                        entry.getKey(),
                        "long",
                        entry.getValue().meter().description(),
                        true,
                        false,
                        false))
            .toArray(MBeanAttributeInfo[]::new);
    return new MBeanInfo(
        MeterBean.class.getName(), "figures of txwatch's analyzer", attributes, null, null, null);
  }

  @Override
  public void setAttribute(Attribute attribute) throws AttributeNotFoundException {
    throw new AttributeNotFoundException(attribute.getName() + " is read-only");
  }

  @Override
  public AttributeList setAttributes(AttributeList attributes) {
    return new AttributeList();
  }

  @Override
  public @Nullable Object invoke(
      String action, Object @Nullable [] arguments, String @Nullable [] signature) {
    throw new UnsupportedOperationException(action);
  }
}
