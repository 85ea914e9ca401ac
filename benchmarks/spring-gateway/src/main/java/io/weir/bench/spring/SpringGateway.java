package io.weir.bench.spring;

import java.util.Map;
import org.springframework.beans.factory.annotation.Value;
import org.springframework.boot.SpringApplication;
import org.springframework.boot.autoconfigure.SpringBootApplication;
import org.springframework.cloud.gateway.filter.ratelimit.KeyResolver;
import org.springframework.cloud.gateway.filter.ratelimit.RedisRateLimiter;
import org.springframework.cloud.gateway.route.RouteLocator;
import org.springframework.cloud.gateway.route.builder.RouteLocatorBuilder;
import org.springframework.context.annotation.Bean;
import reactor.core.publisher.Mono;

/**
 * One route to one server, with a token bucket in Redis for each API key. Otherwise with default
 * settings; logs only warnings.
 */
@SpringBootApplication(proxyBeanMethods = false)
public class SpringGateway {
  private static final String KEY = "X-API-Key";

  /**
   * Takes {@code PORT UPSTREAM_PORT REDIS_PORT TOKENS_PER_SECOND BURST TOKENS_PER_REQUEST}.
   *
   * @param args these numbers
   */
  public static void main(String[] args) {
    SpringApplication application = new SpringApplication(SpringGateway.class);
    application.setDefaultProperties(
        Map.of(
            "server.address",
            "127.0.0.1",
            "server.port",
            args[0],
            "bench.upstream",
            "http://127.0.0.1:" + args[1],
            "spring.data.redis.host",
            "127.0.0.1",
            "spring.data.redis.port",
            args[2],
            "bench.rate",
            args[3],
            "bench.burst",
            args[4],
            "bench.cost",
            args[5],
            "spring.main.banner-mode",
            "off",
            "logging.level.root",
            "warn"));
    application.run();
  }

  @Bean
  RedisRateLimiter limiter(
      @Value("${bench.rate}") int rate,
      @Value("${bench.burst}") int burst,
      @Value("${bench.cost}") int cost) {
    return new RedisRateLimiter(rate, burst, cost);
  }

  @Bean
  KeyResolver keys() {
    return exchange -> Mono.justOrEmpty(exchange.getRequest().getHeaders().getFirst(KEY));
  }

  @Bean
  RouteLocator routes(
      RouteLocatorBuilder builder,
      RedisRateLimiter limiter,
      KeyResolver keys,
      @Value("${bench.upstream}") String upstream) {
    return builder
        .routes()
        .route(
            "api",
            route ->
                route
                    .path("/**")
                    .filters(
                        filters ->
                            filters.requestRateLimiter(
                                limiting -> limiting.setRateLimiter(limiter).setKeyResolver(keys)))
                    .uri(upstream))
        .build();
  }
}
