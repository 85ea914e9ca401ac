package io.weir.spring;

import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnProperty;
import org.springframework.boot.autoconfigure.condition.ConditionalOnWebApplication;
import org.springframework.context.annotation.Bean;
import org.springframework.web.bind.annotation.ControllerAdvice;

/** What controllers answer when a method was refused. */
@AutoConfiguration(after = WeirAutoConfiguration.class)
@ConditionalOnWebApplication
@ConditionalOnClass(ControllerAdvice.class)
@ConditionalOnProperty(prefix = "weir", name = "enabled", matchIfMissing = true)
public class WeirAdviceAutoConfiguration {
  /** Made by Spring. */
  WeirAdviceAutoConfiguration() {}

  @Bean
  @ConditionalOnWebApplication(type = ConditionalOnWebApplication.Type.SERVLET)
  RateLimitAdvice.OnServlets weirRateLimitAdvice() {
    return new RateLimitAdvice.OnServlets();
  }

  @Bean
  @ConditionalOnWebApplication(type = ConditionalOnWebApplication.Type.REACTIVE)
  RateLimitAdvice.OnWebFlux weirReactiveRateLimitAdvice() {
    return new RateLimitAdvice.OnWebFlux();
  }
}
