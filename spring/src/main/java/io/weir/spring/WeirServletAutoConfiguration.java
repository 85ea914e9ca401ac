package io.weir.spring;

import io.weir.node.Node;
import io.weir.rules.Rule;
import io.weir.servlet.WeirFilter;
import jakarta.servlet.DispatcherType;
import jakarta.servlet.Filter;
import jakarta.servlet.http.HttpServletRequest;
import java.security.Principal;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnProperty;
import org.springframework.boot.autoconfigure.condition.ConditionalOnWebApplication;
import org.springframework.boot.web.servlet.FilterRegistrationBean;
import org.springframework.context.annotation.Bean;

/** The filters of an application in a servlet container. */
@AutoConfiguration(after = WeirAutoConfiguration.class)
@ConditionalOnWebApplication(type = ConditionalOnWebApplication.Type.SERVLET)
@ConditionalOnClass(Filter.class)
@ConditionalOnProperty(
    name = {"weir.enabled", "weir.filter.enabled"},
    matchIfMissing = true)
public class WeirServletAutoConfiguration {
  /** Made by Spring. */
  WeirServletAutoConfiguration() {}

  /** Before authentication. */
  @Bean
  FilterRegistrationBean<WeirFilter> weirFilter(
      Node node, Phases phases, WeirProperties properties) {
    return registration(
        "weirFilter", properties.filter().order(), phases::isEarly, node, phases, properties);
  }

  /** Behind authentication. */
  @Bean
  FilterRegistrationBean<WeirFilter> weirPrincipalFilter(
      Node node, Phases phases, WeirProperties properties) {
    return registration(
        "weirPrincipalFilter",
        properties.filter().principalOrder(),
        phases::isLate,
        node,
        phases,
        properties);
  }

  @Bean
  Front weirServletFront(WeirProperties properties) {
    return new Front(
        "servlet filters on %s at %d and %d"
            .formatted(
                String.join(", ", properties.filter().urlPatterns()),
                properties.filter().order(),
                properties.filter().principalOrder()));
  }

  private static FilterRegistrationBean<WeirFilter> registration(
      String name,
      int order,
      Predicate<Rule> rules,
      Node node,
      Phases phases,
      WeirProperties properties) {
    WeirFilter filter =
        WeirFilter.builder(node)
            .rules(rules)
            .headers(properties.headers().style())
            .trustedProxies(Networks.of(properties.trustedProxies()))
            .encodedSlashes(properties.encodedSlashes())
            .attribute(phases.principal(), WeirServletAutoConfiguration::principal)
            .build();
    FilterRegistrationBean<WeirFilter> registration = new FilterRegistrationBean<>(filter);
    registration.setName(name);
    registration.setOrder(order);
    registration.setUrlPatterns(properties.filter().urlPatterns());
    registration.setDispatcherTypes(DispatcherType.REQUEST);
    return registration;
  }

  private static @Nullable String principal(HttpServletRequest request) {
    Principal principal = request.getUserPrincipal();
    return principal == null ? null : principal.getName();
  }
}
