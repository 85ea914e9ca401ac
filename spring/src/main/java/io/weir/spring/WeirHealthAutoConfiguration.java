package io.weir.spring;

import io.weir.node.Node;
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

/** The health of the store, in Spring Boot 3; in 4 it is {@code weir-spring-boot4}'s. */
@AutoConfiguration(after = WeirAutoConfiguration.class)
@ConditionalOnClass({HealthIndicator.class, ConditionalOnEnabledHealthIndicator.class})
@ConditionalOnProperty(prefix = "weir", name = "enabled", matchIfMissing = true)
@ConditionalOnEnabledHealthIndicator("weir")
public class WeirHealthAutoConfiguration {
  /** Made by Spring. */
  WeirHealthAutoConfiguration() {}

  /** It is told how the store is, which never makes the application sick: rules say what holds. */
  @Bean
  @ConditionalOnMissingBean(name = "weirHealthIndicator")
  HealthIndicator weirHealthIndicator(@Qualifier("weirNode") Node node) {
    return () -> Health.up().withDetails(StoreDetails.of(node)).build();
  }
}
