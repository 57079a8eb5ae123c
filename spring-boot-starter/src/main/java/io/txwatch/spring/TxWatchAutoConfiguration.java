package io.txwatch.spring;

import io.micrometer.core.instrument.binder.MeterBinder;
import io.txwatch.TxWatchMeters;
import io.txwatch.analyzer.ProcessSource;
import javax.sql.DataSource;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.actuate.endpoint.annotation.Endpoint;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnProperty;
import org.springframework.boot.health.contributor.HealthIndicator;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

/** Shows what txwatch finds, through whatever of Actuator and Micrometer the application has. */
@AutoConfiguration
@ConditionalOnProperty(name = TxWatchStart.ENABLED, havingValue = "true")
public class TxWatchAutoConfiguration {

  /** Created by Spring. */
  public TxWatchAutoConfiguration() {}

  /** The meters of {@link TxWatchMeters}. */
  @Configuration(proxyBeanMethods = false)
  @ConditionalOnClass(MeterBinder.class)
  static class Meters {
    @Bean
    MeterBinder txwatchMeters() {
      return new TxWatchMeters();
    }
  }

  /** {@code /actuator/txwatch}, which is not exposed unless the application exposes it. */
  @Configuration(proxyBeanMethods = false)
  @ConditionalOnClass(Endpoint.class)
  static class Endpoints {
    @Bean
    TxWatchEndpoint txwatchEndpoint(ObjectProvider<DataSource> sources) {
      boolean hasHikari = HikariPools.arePresent();
      return new TxWatchEndpoint(
          new ProcessSource(),
          () -> {
            if (hasHikari) {
              HikariPools.replaceConnections(sources.stream());
            }
          });
    }
  }

  /** The health of Spring Boot 4; the interface was another one before. */
  @Configuration(proxyBeanMethods = false)
  @ConditionalOnClass(HealthIndicator.class)
  @ConditionalOnProperty(
      name = "management.health.txwatch.enabled",
      havingValue = "true",
      matchIfMissing = true)
  static class Health {
    @Bean
    HealthIndicator txwatchHealthIndicator() {
      return new TxWatchHealth(new ProcessSource());
    }
  }
}
