package io.weir.spring;

import io.weir.runtime.Node;
import io.weir.servlet.WeirFilter;
import io.weir.spring.web.PathNormalizingFilter;
import io.weir.spring.web.Phase;
import io.weir.spring.web.PhaseFilter;
import io.weir.spring.web.Phases;
import io.weir.spring.web.Principals;
import io.weir.spring.web.TrustedProxyParser;
import jakarta.servlet.DispatcherType;
import jakarta.servlet.Filter;
import org.springframework.beans.factory.annotation.Qualifier;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnProperty;
import org.springframework.boot.autoconfigure.condition.ConditionalOnWebApplication;
import org.springframework.boot.web.servlet.FilterRegistrationBean;
import org.springframework.context.annotation.Bean;

/** Auto-configuration of the filters in a servlet container. */
@AutoConfiguration(after = WeirAutoConfiguration.class)
@ConditionalOnWebApplication(type = ConditionalOnWebApplication.Type.SERVLET)
@ConditionalOnClass(Filter.class)
@ConditionalOnProperty(
    name = {"weir.enabled", "weir.filter.enabled"},
    matchIfMissing = true)
public class WeirServletAutoConfiguration {
  /** Created by Spring. */
  WeirServletAutoConfiguration() {}

  /** Before all filters that look at the path. */
  @Bean
  FilterRegistrationBean<PathNormalizingFilter> weirResolvingFilter(WeirProperties properties) {
    FilterRegistrationBean<PathNormalizingFilter> registration =
        new FilterRegistrationBean<>(new PathNormalizingFilter(properties.encodedSlashes()));
    registration.setName("weirResolvingFilter");
    registration.setOrder(properties.filter().orderBefore());
    registration.setDispatcherTypes(DispatcherType.REQUEST);
    return registration;
  }

  /** Before authentication. */
  @Bean
  FilterRegistrationBean<PhaseFilter> weirFilter(
      @Qualifier("weirNode") Node node, Phases phases, WeirProperties properties) {
    return registration(
        "weirFilter", properties.filter().order(), phases.early(), node, phases, properties);
  }

  /** Behind authentication. */
  @Bean
  FilterRegistrationBean<PhaseFilter> weirPrincipalFilter(
      @Qualifier("weirNode") Node node, Phases phases, WeirProperties properties) {
    return registration(
        "weirPrincipalFilter",
        properties.filter().principalOrder(),
        phases.late(),
        node,
        phases,
        properties);
  }

  private static FilterRegistrationBean<PhaseFilter> registration(
      String name, int order, Phase phase, Node node, Phases phases, WeirProperties properties) {
    WeirFilter filter =
        WeirFilter.builder(node)
            .rules(phase::isFor)
            .last(phase::isLast)
            .headers(properties.headers().style())
            .trustedProxies(TrustedProxyParser.of(properties.trustedProxies()))
            .encodedSlashes(properties.encodedSlashes())
            .corsOrigins(properties.corsOrigins())
            .attribute(phases.principal(), request -> Principals.name(request.getUserPrincipal()))
            .build();
    FilterRegistrationBean<PhaseFilter> registration =
        new FilterRegistrationBean<>(new PhaseFilter(filter, phase));
    registration.setName(name);
    registration.setOrder(order);
    registration.setUrlPatterns(properties.filter().urlPatterns());
    registration.setDispatcherTypes(DispatcherType.REQUEST);
    return registration;
  }
}
