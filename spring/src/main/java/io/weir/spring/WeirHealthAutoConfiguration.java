package io.weir.spring;

import io.weir.runtime.Node;
import io.weir.spring.boot4.StoreDetails;
import org.springframework.beans.factory.annotation.Qualifier;
import org.springframework.boot.actuate.autoconfigure.health.ConditionalOnEnabledHealthIndicator;
import org.springframework.boot.actuate.health.Health;
import org.springframework.boot.actuate.health.HealthIndicator;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnProperty;
import org.springframework.context.annotation.Bean;

/** The health of the store, in Spring Boot 3; for 4 see {@code weir-spring-boot4}. */
@AutoConfiguration(after = WeirAutoConfiguration.class)
@ConditionalOnClass({HealthIndicator.class, ConditionalOnEnabledHealthIndicator.class})
@ConditionalOnProperty(prefix = "weir", name = "enabled", matchIfMissing = true)
@ConditionalOnEnabledHealthIndicator("weir")
public class WeirHealthAutoConfiguration {
  /** Created by Spring. */
  WeirHealthAutoConfiguration() {}

  /**
   * Reports the store's state. It never makes the application unhealthy, because {@code on_failure}
   * of each rule decides what happens then.
   */
  @Bean
  @ConditionalOnMissingBean(name = "weirHealthIndicator")
  HealthIndicator weirHealthIndicator(@Qualifier("weirNode") Node node) {
    return () -> Health.up().withDetails(StoreDetails.of(node)).build();
  }
}
