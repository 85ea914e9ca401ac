package io.weir.spring;

import org.springframework.beans.factory.SmartInitializingSingleton;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnProperty;
import org.springframework.context.annotation.Bean;

/** Logs one line when Weir is switched off. */
@AutoConfiguration
@ConditionalOnProperty(prefix = "weir", name = "enabled", havingValue = "false")
public class WeirOffAutoConfiguration {
  private static final System.Logger LOG = System.getLogger("io.weir.spring");

  /** Created by Spring. */
  WeirOffAutoConfiguration() {}

  @Bean
  SmartInitializingSingleton weirOffReport() {
    return () ->
        LOG.log(
            System.Logger.Level.WARNING, "Weir is off: nothing is limited (weir.enabled=false)");
  }
}
