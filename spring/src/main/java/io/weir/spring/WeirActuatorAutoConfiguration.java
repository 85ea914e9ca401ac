package io.weir.spring;

import io.weir.insight.Insights;
import io.weir.runtime.Node;
import io.weir.spring.actuator.RuleView;
import io.weir.spring.actuator.WeirEndpoint;
import io.weir.spring.method.MethodRules;
import io.weir.spring.web.Phases;
import org.springframework.beans.factory.annotation.Qualifier;
import org.springframework.boot.actuate.autoconfigure.endpoint.condition.ConditionalOnAvailableEndpoint;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnProperty;
import org.springframework.context.annotation.Bean;

/** Auto-configuration of the actuator endpoint. */
@AutoConfiguration(after = WeirAutoConfiguration.class)
@ConditionalOnClass(ConditionalOnAvailableEndpoint.class)
@ConditionalOnProperty(prefix = "weir", name = "enabled", matchIfMissing = true)
public class WeirActuatorAutoConfiguration {
  /** Created by Spring. */
  WeirActuatorAutoConfiguration() {}

  @Bean
  @ConditionalOnAvailableEndpoint
  WeirEndpoint weirEndpoint(
      @Qualifier("weirNode") Node node,
      @Qualifier("weirInsights") Insights insights,
      Phases phases,
      MethodRules methods,
      WeirProperties settings) {
    return new WeirEndpoint(
        node, insights, new RuleView(node, phases, methods), settings.actuator().revealKeys());
  }
}
