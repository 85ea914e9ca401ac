package io.weir.spring;

import java.util.Map;
import java.util.concurrent.CompletableFuture;
import org.springframework.boot.SpringBootConfiguration;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnWebApplication;
import org.springframework.boot.autoconfigure.condition.ConditionalOnWebApplication.Type;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;
import org.springframework.http.HttpMethod;
import org.springframework.security.config.Customizer;
import org.springframework.security.config.annotation.web.builders.HttpSecurity;
import org.springframework.security.config.web.server.ServerHttpSecurity;
import org.springframework.security.core.userdetails.MapReactiveUserDetailsService;
import org.springframework.security.core.userdetails.User;
import org.springframework.security.core.userdetails.UserDetails;
import org.springframework.security.provisioning.InMemoryUserDetailsManager;
import org.springframework.security.web.SecurityFilterChain;
import org.springframework.security.web.server.SecurityWebFilterChain;
import org.springframework.web.bind.annotation.ExceptionHandler;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.RequestMapping;
import org.springframework.web.bind.annotation.RequestMethod;
import org.springframework.web.bind.annotation.RequestParam;
import org.springframework.web.bind.annotation.RestController;
import org.springframework.web.bind.annotation.RestControllerAdvice;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

/** An application that runs on either web stack, with Spring Security. */
@SpringBootConfiguration
@EnableAutoConfiguration
@Import({
  Shop.Pages.class,
  Shop.Reports.class,
  Shop.CatchAll.class,
  Shop.OnServlets.class,
  Shop.OnWebFlux.class
})
class Shop {
  static UserDetails user(String name) {
    return User.withUsername(name).password("{noop}secret").roles("USER").build();
  }

  @RestController
  static class Pages {
    private final Reports reports;

    Pages(Reports reports) {
      this.reports = reports;
    }

    @RequestMapping(
        path = {"/hello", "/me", "/free", "/a/b"},
        method = {RequestMethod.GET, RequestMethod.HEAD})
    String page() {
      return "page";
    }

    @GetMapping("/named")
    String named(@RequestParam String user) {
      return reports.named(user);
    }

    @GetMapping("/inline")
    String inline(@RequestParam String user) {
      return reports.inline(user);
    }

    @GetMapping("/future")
    CompletableFuture<String> future(@RequestParam String user) {
      return reports.future(user);
    }

    @GetMapping("/mono")
    Mono<String> mono(@RequestParam String user) {
      return reports.mono(user);
    }

    @GetMapping("/flux")
    Flux<String> flux() {
      return reports.flux();
    }

    @GetMapping("/fallback")
    String fallback() {
      return reports.guarded(1);
    }
  }

  static class Reports {
    @RateLimited("export")
    String named(String user) {
      return "named " + user;
    }

    @RateLimited(limit = "2 per hour", per = "#user")
    @RateLimited(limit = "3 per hour")
    public String inline(String user) {
      return "inline " + user;
    }

    @RateLimited(limit = "1 per hour", per = "#p0")
    public CompletableFuture<String> future(String user) {
      return CompletableFuture.completedFuture("future");
    }

    @RateLimited(limit = "1 per hour", per = "#user")
    public Mono<String> mono(String user) {
      return Mono.just("mono");
    }

    @RateLimited(limit = "1 per hour")
    public Flux<String> flux() {
      return Flux.just("a", "b");
    }

    @RateLimited(
        limit = "{algorithm: sliding-log, rate: 5 per day}",
        cost = "#n * 3",
        fallback = "instead")
    public String guarded(int n) {
      return "all";
    }

    private String instead(int n, RateLimitExceededException why) {
      return "less, by " + why.rule();
    }
  }

  /** Many applications make an error of the server of all that they do not know. */
  @RestControllerAdvice
  static class CatchAll {
    @ExceptionHandler(Exception.class)
    String any(Exception e) {
      return "caught " + e;
    }
  }

  @Configuration(proxyBeanMethods = false)
  @ConditionalOnWebApplication(type = Type.SERVLET)
  static class OnServlets {
    @Bean
    InMemoryUserDetailsManager users() {
      return new InMemoryUserDetailsManager(user("alice"), user("bob"));
    }

    @Bean
    SecurityFilterChain security(HttpSecurity http) throws Exception {
      return http.csrf(csrf -> csrf.disable())
          .authorizeHttpRequests(
              all -> all.requestMatchers("/me").authenticated().anyRequest().permitAll())
          .httpBasic(Customizer.withDefaults())
          .build();
    }
  }

  @Configuration(proxyBeanMethods = false)
  @ConditionalOnWebApplication(type = Type.REACTIVE)
  static class OnWebFlux {
    @Bean
    MapReactiveUserDetailsService users() {
      return new MapReactiveUserDetailsService(user("alice"), user("bob"));
    }

    @Bean
    SecurityWebFilterChain security(ServerHttpSecurity http) {
      return http.csrf(csrf -> csrf.disable())
          .authorizeExchange(
              all ->
                  all.pathMatchers(HttpMethod.GET, "/me").authenticated().anyExchange().permitAll())
          .httpBasic(Customizer.withDefaults())
          .anonymous(Customizer.withDefaults()) // an anonymous request has a name too
          .build();
    }
  }

  static Map<String, Object> settings(String rules) {
    return Map.of(
        "server.port", "0",
        "spring.threads.virtual.enabled", "true", // where there are any
        "spring.main.banner-mode", "off",
        "management.endpoints.web.exposure.include", "*",
        "management.endpoint.health.show-details", "always",
        "weir.rules", rules);
  }
}
