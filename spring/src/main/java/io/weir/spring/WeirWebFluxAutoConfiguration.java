package io.weir.spring;

import io.weir.embedded.DelayedRequests;
import io.weir.embedded.RequestGuard;
import io.weir.rules.http.Cors;
import io.weir.rules.http.TrustedProxies;
import io.weir.runtime.Node;
import io.weir.spring.web.OriginalRequest;
import io.weir.spring.web.PathNormalizingWebFilter;
import io.weir.spring.web.Phases;
import io.weir.spring.web.TrustedProxyParser;
import io.weir.spring.web.WebFluxRequestReader;
import io.weir.spring.web.WeirWebFilter;
import org.springframework.beans.factory.annotation.Qualifier;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnProperty;
import org.springframework.boot.autoconfigure.condition.ConditionalOnWebApplication;
import org.springframework.context.annotation.Bean;
import org.springframework.web.server.WebFilter;

/** Auto-configuration of the filters on WebFlux. */
@AutoConfiguration(after = WeirAutoConfiguration.class)
@ConditionalOnWebApplication(type = ConditionalOnWebApplication.Type.REACTIVE)
@ConditionalOnClass(WebFilter.class)
@ConditionalOnProperty(
    name = {"weir.enabled", "weir.filter.enabled"},
    matchIfMissing = true)
public class WeirWebFluxAutoConfiguration {
  private static final int MAX_HELD = 4096;

  /** Created by Spring. */
  WeirWebFluxAutoConfiguration() {}

  @Bean(destroyMethod = "close")
  DelayedRequests weirTurns() {
    return new DelayedRequests(MAX_HELD);
  }

  /** Before any change to a request. */
  @Bean
  OriginalRequest weirReceived() {
    return new OriginalRequest();
  }

  /** Before all filters that look at the path. */
  @Bean
  PathNormalizingWebFilter weirResolvingFilter(WeirProperties properties) {
    return new PathNormalizingWebFilter(
        properties.filter().orderBefore(),
        properties.encodedSlashes(),
        new Cors(properties.corsOrigins()));
  }

  /** Before authentication. */
  @Bean
  WeirWebFilter weirFilter(
      @Qualifier("weirNode") Node node,
      Phases phases,
      WeirProperties properties,
      @Qualifier("weirTurns") DelayedRequests delayedRequests) {
    return new WeirWebFilter(
        properties.filter().order(),
        new RequestGuard(node, properties.headers().style(), phases.early()::isFor),
        reader(properties),
        delayedRequests,
        new Cors(properties.corsOrigins()),
        phases.early());
  }

  /** Behind authentication. */
  @Bean
  WeirWebFilter weirPrincipalFilter(
      @Qualifier("weirNode") Node node,
      Phases phases,
      WeirProperties properties,
      @Qualifier("weirTurns") DelayedRequests delayedRequests) {
    return new WeirWebFilter(
        properties.filter().principalOrder(),
        new RequestGuard(node, properties.headers().style(), phases.late()::isFor),
        reader(properties),
        delayedRequests,
        new Cors(properties.corsOrigins()),
        phases.late());
  }

  private static WebFluxRequestReader reader(WeirProperties properties) {
    return new WebFluxRequestReader(
        new TrustedProxies(TrustedProxyParser.of(properties.trustedProxies())),
        properties.encodedSlashes(),
        properties.principalAttribute());
  }
}
