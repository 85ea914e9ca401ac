package io.weir.spring.boot4;

import io.weir.runtime.Node;
import org.springframework.beans.factory.annotation.Qualifier;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.health.autoconfigure.contributor.ConditionalOnEnabledHealthIndicator;
import org.springframework.boot.health.contributor.HealthIndicator;
import org.springframework.context.annotation.Bean;

/** The health of the store, in Spring Boot 4. */
@AutoConfiguration(afterName = "io.weir.spring.WeirAutoConfiguration")
@ConditionalOnClass(HealthIndicator.class)
@ConditionalOnBean(name = "weirNode")
@ConditionalOnEnabledHealthIndicator("weir")
public class WeirBoot4HealthAutoConfiguration {
  /** Created by Spring. */
  WeirBoot4HealthAutoConfiguration() {}

  @Bean
  @ConditionalOnMissingBean(name = "weirHealthIndicator")
  HealthIndicator weirHealthIndicator(@Qualifier("weirNode") Node node) {
    return new WeirHealthIndicator(node);
  }
}
