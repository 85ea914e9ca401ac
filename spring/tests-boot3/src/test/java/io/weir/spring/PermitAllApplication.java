package io.weir.spring;

import jakarta.servlet.Filter;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.util.HashMap;
import java.util.Map;
import org.springframework.boot.SpringBootConfiguration;
import org.springframework.boot.WebApplicationType;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnWebApplication;
import org.springframework.boot.autoconfigure.condition.ConditionalOnWebApplication.Type;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.boot.web.servlet.FilterRegistrationBean;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;
import org.springframework.core.annotation.Order;
import org.springframework.security.config.annotation.web.builders.HttpSecurity;
import org.springframework.security.config.web.server.ServerHttpSecurity;
import org.springframework.security.web.SecurityFilterChain;
import org.springframework.security.web.firewall.FirewalledRequest;
import org.springframework.security.web.firewall.HttpFirewall;
import org.springframework.security.web.server.SecurityWebFilterChain;
import org.springframework.security.web.server.firewall.ServerWebExchangeFirewall;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.RestController;
import org.springframework.web.reactive.function.server.RouterFunctions;
import org.springframework.web.reactive.function.server.ServerResponse;
import org.springframework.web.server.WebFilter;
import reactor.core.publisher.Mono;

/** An application on either web stack that permits all requests, however a path is spelled. */
@SpringBootConfiguration
@EnableAutoConfiguration
@Import({
  PermitAllApplication.Pages.class,
  PermitAllApplication.LimitedService.class,
  PermitAllApplication.OnServlets.class,
  PermitAllApplication.OnWebFlux.class
})
class PermitAllApplication {
  private static final int BEFORE_SECURITY = -1000;

  /** One that runs. */
  record RunningApplication(ConfigurableApplicationContext context, TestHttpClient testHttpClient)
      implements AutoCloseable {
    @Override
    public void close() {
      context.close();
    }
  }

  static RunningApplication start(WebApplicationType type, String rules, String... settings) {
    Map<String, Object> all = new HashMap<>();
    all.put("server.port", "0");
    all.put("spring.main.banner-mode", "off");
    all.put("management.endpoints.web.exposure.include", "*");
    all.put("weir.rules", rules);
    for (int i = 0; i < settings.length; i += 2) {
      all.put(settings[i], settings[i + 1]);
    }
    ConfigurableApplicationContext context =
        new SpringApplicationBuilder(PermitAllApplication.class)
            .web(type)
            .initializers(new NettyInitializer(type))
            .properties(all)
            .run("--spring.config.name=none"); // the examples have files of the usual name
    return new RunningApplication(
        context,
        new TestHttpClient(
            context.getEnvironment().getRequiredProperty("local.server.port", int.class)));
  }

  static class LimitedService {
    @RateLimited(limit = "1 per hour", per = "#from")
    public String land(String from) {
      return "landed";
    }
  }

  @RestController
  static class Pages {
    private final LimitedService limitedService;

    Pages(LimitedService limitedService) {
      this.limitedService = limitedService;
    }

    @GetMapping("/a/**")
    String a() {
      return "a";
    }

    @GetMapping("/b")
    String b() {
      return "b";
    }

    @GetMapping("/thread")
    String thread() {
      return Thread.currentThread().toString();
    }

    @GetMapping("/controller")
    String controller() {
      return limitedService.land("controller");
    }
  }

  @Configuration(proxyBeanMethods = false)
  @ConditionalOnWebApplication(type = Type.SERVLET)
  static class OnServlets {
    @Bean
    SecurityFilterChain security(HttpSecurity http) throws Exception {
      return http.authorizeHttpRequests(all -> all.anyRequest().permitAll()).build();
    }

    @Bean
    HttpFirewall firewall() {
      return new HttpFirewall() {
        @Override
        public FirewalledRequest getFirewalledRequest(HttpServletRequest request) {
          return new FirewalledRequest(request) {
            @Override
            public void reset() {}
          };
        }

        @Override
        public HttpServletResponse getFirewalledResponse(HttpServletResponse response) {
          return response;
        }
      };
    }

    @Bean
    org.springframework.web.servlet.function.RouterFunction<
            org.springframework.web.servlet.function.ServerResponse>
        routes(LimitedService limitedService) {
      return org.springframework.web.servlet.function.RouterFunctions.route()
          .GET(
              "/functional",
              request ->
                  org.springframework.web.servlet.function.ServerResponse.ok()
                      .body(limitedService.land("functional")))
          .build();
    }

    @Bean
    FilterRegistrationBean<Filter> landing(LimitedService limitedService) {
      FilterRegistrationBean<Filter> filter =
          new FilterRegistrationBean<>(
              (request, response, chain) ->
                  response.getWriter().write(limitedService.land("filter")));
      filter.addUrlPatterns("/filter");
      return filter;
    }

    @Bean
    FilterRegistrationBean<Filter> atOnce() {
      FilterRegistrationBean<Filter> filter =
          new FilterRegistrationBean<>((request, response, chain) -> {});
      filter.addUrlPatterns("/at-once");
      filter.setOrder(BEFORE_SECURITY);
      return filter;
    }
  }

  @Configuration(proxyBeanMethods = false)
  @ConditionalOnWebApplication(type = Type.REACTIVE)
  static class OnWebFlux {
    @Bean
    SecurityWebFilterChain security(ServerHttpSecurity http) {
      return http.authorizeExchange(all -> all.anyExchange().permitAll()).build();
    }

    @Bean
    ServerWebExchangeFirewall firewall() {
      return ServerWebExchangeFirewall.INSECURE_NOOP;
    }

    @Bean
    org.springframework.web.reactive.function.server.RouterFunction<ServerResponse> routes(
        LimitedService limitedService) {
      return RouterFunctions.route()
          .GET(
              "/functional",
              request -> ServerResponse.ok().bodyValue(limitedService.land("functional")))
          .build();
    }

    @Bean
    @Order(BEFORE_SECURITY)
    WebFilter atOnce() {
      return (exchange, chain) ->
          exchange.getRequest().getPath().value().equals("/at-once")
              ? exchange.getResponse().setComplete()
              : chain.filter(exchange);
    }

    @Bean
    WebFilter landing(LimitedService limitedService) {
      return (exchange, chain) ->
          exchange.getRequest().getPath().value().equals("/filter")
              ? Mono.fromRunnable(() -> limitedService.land("filter"))
              : chain.filter(exchange);
    }
  }
}
