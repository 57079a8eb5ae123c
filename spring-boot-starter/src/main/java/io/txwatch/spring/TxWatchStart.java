package io.txwatch.spring;

import io.txwatch.agent.SelfAttachment;
import io.txwatch.agent.StrictStartException;
import io.txwatch.jdbc.Watch;
import io.txwatch.settings.Setting;
import io.txwatch.settings.Settings;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import org.springframework.boot.context.event.ApplicationEnvironmentPreparedEvent;
import org.springframework.context.ApplicationListener;
import org.springframework.core.Ordered;
import org.springframework.core.env.ConfigurableEnvironment;
import org.springframework.core.env.EnumerablePropertySource;
import org.springframework.core.env.PropertySource;
import org.springframework.core.env.StandardEnvironment;

/**
 * Attaches the agent if {@code txwatch.enabled} is true, with the settings {@code txwatch.*} of the
 * application's properties. Unless set, {@code txwatch.service} is the application's name.
 * Transactions get the names of {@link OperationNames}.
 *
 * <p>It follows the listeners that read {@code application.properties} and set up logging, and
 * precedes every bean. A failure is one line on standard error, and the application starts
 * unwatched, unless {@code txwatch.strict} is on.
 */
public final class TxWatchStart
    implements ApplicationListener<ApplicationEnvironmentPreparedEvent>, Ordered {

  /** The property that switches txwatch on. */
  static final String ENABLED = "txwatch.enabled";

  private static final String PREFIX = "txwatch.";

  /** The agent reads these by itself. */
  private static final Set<String> READ_BY_AGENT =
      Set.of(
          StandardEnvironment.SYSTEM_ENVIRONMENT_PROPERTY_SOURCE_NAME,
          StandardEnvironment.SYSTEM_PROPERTIES_PROPERTY_SOURCE_NAME);

  /** Created by Spring Boot. */
  public TxWatchStart() {}

  @Override
  public int getOrder() {
    return LOWEST_PRECEDENCE;
  }

  @Override
  public void onApplicationEvent(ApplicationEnvironmentPreparedEvent event) {
    ConfigurableEnvironment environment = event.getEnvironment();
    try {
      if (environment.getProperty(ENABLED, Boolean.class, false)) {
        SelfAttachment.attach(
            Settings.agentArguments(defaults(environment), settings(environment)));
        Watch.nameTransactions(OperationNames::current);
      }
    } catch (StrictStartException e) {
      throw e;
    } catch (RuntimeException | LinkageError e) {
      System.err.println(
          "txwatch: the application runs unwatched: "
              + String.valueOf(e.getMessage()).strip().replaceAll("\\s+", " "));
    }
  }

  private static Map<Setting, String> defaults(ConfigurableEnvironment environment) {
    String name = environment.getProperty("spring.application.name", "");
    return name.isEmpty() || name.contains(",") ? Map.of() : Map.of(Setting.SERVICE, name);
  }

  /** The settings of property files and the like; unknown ones too, which the agent reports. */
  static Map<String, String> settings(ConfigurableEnvironment environment) {
    Map<String, String> settings = new TreeMap<>();
    for (PropertySource<?> source : environment.getPropertySources()) {
      if (source instanceof EnumerablePropertySource<?> listed
          && !READ_BY_AGENT.contains(source.getName())) {
        for (String name : listed.getPropertyNames()) {
          if (name.startsWith(PREFIX) && !name.equals(ENABLED)) {
            settings.put(name, environment.getProperty(name, ""));
          }
        }
      }
    }
    return settings;
  }
}
