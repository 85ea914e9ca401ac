package io.weir.spring;

import io.micrometer.core.instrument.binder.MeterBinder;
import io.weir.runtime.Node;
import io.weir.spring.actuator.WeirMeterBinder;
import org.springframework.beans.factory.annotation.Qualifier;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnProperty;
import org.springframework.context.annotation.Bean;

/** Auto-configuration of metrics in the application's registry. */
@AutoConfiguration(after = WeirAutoConfiguration.class)
@ConditionalOnClass(MeterBinder.class)
@ConditionalOnProperty(prefix = "weir", name = "enabled", matchIfMissing = true)
public class WeirMetricsAutoConfiguration {
  /** Created by Spring. */
  WeirMetricsAutoConfiguration() {}

  @Bean
  MeterBinder weirMetrics(@Qualifier("weirNode") Node node) {
    return new WeirMeterBinder(node);
  }
}
