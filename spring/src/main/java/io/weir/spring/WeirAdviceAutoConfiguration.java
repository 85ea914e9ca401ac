package io.weir.spring;

import io.weir.rules.http.Cors;
import io.weir.spring.web.RateLimitAdvice;
import io.weir.spring.web.RefusalFilter;
import io.weir.spring.web.RefusalHandler;
import jakarta.servlet.DispatcherType;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnProperty;
import org.springframework.boot.autoconfigure.condition.ConditionalOnWebApplication;
import org.springframework.boot.web.servlet.FilterRegistrationBean;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.core.Ordered;
import org.springframework.web.bind.annotation.ControllerAdvice;

/** Auto-configuration of the responses to refused method calls. */
@AutoConfiguration(after = WeirAutoConfiguration.class)
@ConditionalOnWebApplication
@ConditionalOnClass(ControllerAdvice.class)
@ConditionalOnProperty(prefix = "weir", name = "enabled", matchIfMissing = true)
public class WeirAdviceAutoConfiguration {
  /** Created by Spring. */
  WeirAdviceAutoConfiguration() {}

  @Configuration(proxyBeanMethods = false)
  @ConditionalOnWebApplication(type = ConditionalOnWebApplication.Type.SERVLET)
  static class OnServlets {
    @Bean
    RateLimitAdvice.OnServlets weirRateLimitAdvice(WeirProperties properties) {
      return new RateLimitAdvice.OnServlets(new Cors(properties.corsOrigins()));
    }

    @Bean
    FilterRegistrationBean<RefusalFilter> weirRefusalFilter(WeirProperties properties) {
      FilterRegistrationBean<RefusalFilter> registration =
          new FilterRegistrationBean<>(new RefusalFilter(new Cors(properties.corsOrigins())));
      registration.setOrder(Ordered.HIGHEST_PRECEDENCE);
      registration.setDispatcherTypes(DispatcherType.REQUEST, DispatcherType.ASYNC);
      return registration;
    }
  }

  @Configuration(proxyBeanMethods = false)
  @ConditionalOnWebApplication(type = ConditionalOnWebApplication.Type.REACTIVE)
  static class OnWebFlux {
    @Bean
    RateLimitAdvice.OnWebFlux weirRateLimitAdvice(WeirProperties properties) {
      return new RateLimitAdvice.OnWebFlux(new Cors(properties.corsOrigins()));
    }

    @Bean
    RefusalHandler weirRefusalHandler(WeirProperties properties) {
      return new RefusalHandler(new Cors(properties.corsOrigins()));
    }
  }
}
