package io.weir.spring;

import io.weir.front.Judge;
import io.weir.front.Turns;
import io.weir.node.Node;
import io.weir.rules.http.Cors;
import io.weir.rules.http.Proxies;
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
  private static final int MOST_HELD = 4096;

  /** Created by Spring. */
  WeirWebFluxAutoConfiguration() {}

  @Bean(destroyMethod = "close")
  Turns weirTurns() {
    return new Turns(MOST_HELD);
  }

  /** Before any change to a request. */
  @Bean
  Received weirReceived() {
    return new Received();
  }

  /** Before all filters that look at the path. */
  @Bean
  ResolvingWebFilter weirResolvingFilter(WeirProperties properties) {
    return new ResolvingWebFilter(
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
      @Qualifier("weirTurns") Turns turns) {
    return new WeirWebFilter(
        properties.filter().order(),
        new Judge(node, properties.headers().style(), phases.early()::isFor),
        reader(properties),
        turns,
        new Cors(properties.corsOrigins()),
        phases.early());
  }

  /** Behind authentication. */
  @Bean
  WeirWebFilter weirPrincipalFilter(
      @Qualifier("weirNode") Node node,
      Phases phases,
      WeirProperties properties,
      @Qualifier("weirTurns") Turns turns) {
    return new WeirWebFilter(
        properties.filter().principalOrder(),
        new Judge(node, properties.headers().style(), phases.late()::isFor),
        reader(properties),
        turns,
        new Cors(properties.corsOrigins()),
        phases.late());
  }

  @Bean
  Front weirWebFluxFront(WeirProperties properties) {
    return new Front(
        "WebFlux filters at %d and %d"
            .formatted(properties.filter().order(), properties.filter().principalOrder()));
  }

  private static ExchangeReader reader(WeirProperties properties) {
    return new ExchangeReader(
        new Proxies(Networks.of(properties.trustedProxies())),
        properties.encodedSlashes(),
        properties.principalAttribute());
  }
}
