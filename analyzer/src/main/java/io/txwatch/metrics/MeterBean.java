package io.txwatch.metrics;

import io.txwatch.live.LiveSource;
import io.txwatch.settings.ObservationLevel;
import io.txwatch.settings.Setting;
import io.txwatch.settings.SettingException;
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
import javax.management.MBeanOperationInfo;
import javax.management.MBeanParameterInfo;
import javax.management.MBeanServer;
import javax.management.ObjectName;
import org.jspecify.annotations.Nullable;

/**
 * The meters as a bean of JMX, {@value #NAME}: a read-only attribute for each value, {@code
 * StatementsObserved} or {@code Gaps.SHAPE}. In a watched process the operation {@value #CHANGE}
 * sets {@link ObservationLevel}. The bean keeps its class loader reachable until it is closed.
 */
public final class MeterBean implements DynamicMBean, AutoCloseable {

  private static final String STRING = String.class.getName();

  /** The name of the bean. */
  public static final String NAME = "io.txwatch:type=Analyzer";

  /** The operation that changes {@code txwatch.instrument}. */
  static final String CHANGE = "changeInstrument";

  private record Value(Meter meter, Meter.Series series) {}

  private final LiveSource source;
  private final boolean isWatched;
  private final MBeanServer server;
  private final ObjectName name;
  private final Map<String, Value> values = new LinkedHashMap<>();

  private MeterBean(LiveSource source, boolean isWatched, MBeanServer server) throws JMException {
    this.source = source;
    this.isWatched = isWatched;
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
    return open(source, false);
  }

  /**
   * Registers the bean of a watched process.
   *
   * @throws JMException if the JVM has one already
   */
  public static MeterBean ofWatched(LiveSource source) throws JMException {
    return open(source, true);
  }

  private static MeterBean open(LiveSource source, boolean isWatched) throws JMException {
    MeterBean bean = new MeterBean(source, isWatched, ManagementFactory.getPlatformMBeanServer());
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
    MBeanOperationInfo change =
        new MBeanOperationInfo(
            CHANGE,
            "sets txwatch.instrument for all connections, open ones from their next transaction on",
            new MBeanParameterInfo[] {
              new MBeanParameterInfo("level", STRING, Setting.INSTRUMENT.accepted())
            },
            STRING,
            MBeanOperationInfo.ACTION);
    return new MBeanInfo(
        MeterBean.class.getName(),
        "figures of txwatch's analyzer",
        attributes,
        null,
        isWatched ? new MBeanOperationInfo[] {change} : null,
        null);
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
    if (!isWatched || !action.equals(CHANGE) || arguments == null || arguments.length != 1) {
      throw new UnsupportedOperationException(action);
    }
    try {
      String level = ObservationLevel.change(String.valueOf(arguments[0]));
      String exceptions = ObservationLevel.exceptions();
      return exceptions.isEmpty() ? level : level + "; " + exceptions;
    } catch (SettingException e) { // a class that clients of JMX know
      throw new IllegalArgumentException(e.getMessage());
    }
  }
}
