package io.weir.spring;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.weir.decision.RuleSource;
import io.weir.rig.SharedRedis;
import io.weir.rules.RuleSet;
import io.weir.runtime.Node;
import io.weir.spring.web.OriginalRequest;
import io.weir.spring.web.RequestEventLoop;
import java.net.InetSocketAddress;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;
import org.mockito.Mockito;
import org.springframework.boot.WebApplicationType;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Scope;
import org.springframework.context.annotation.ScopedProxyMode;
import org.springframework.mock.http.server.reactive.MockServerHttpRequest;
import reactor.core.publisher.Mono;

/** What an application may do without being stopped, charged twice or left alone. */
class LegitimateUseTest {
  private static final Map<String, Object> SETTINGS =
      Map.of("weir.rules", "rules: [ { name: all, limit: 9 per hour } ]");

  static class Guarded {
    @RateLimited("all")
    public void call() {}

    @RateLimited("all")
    public CompletableFuture<Thread> later() {
      return CompletableFuture.completedFuture(Thread.currentThread());
    }
  }

  @Configuration(proxyBeanMethods = false)
  static class WithNode {
    @Bean
    Node node() {
      return Node.builder(RuleSource.of(RuleSet.of(List.of()))).open();
    }
  }

  @Test
  void mayHaveItsOwnNode() {
    try (ConfigurableApplicationContext context = StartupTest.start(SETTINGS, WithNode.class)) {
      assertThat(
              context
                  .getBean(RateLimiters.class)
                  .check("all", Map.of())
                  .toCompletableFuture()
                  .join()
                  .ruleDecisions())
          .hasSize(1);
    }
  }

  /** Counts. */
  interface Counter {
    @RateLimited(limit = "2 per hour")
    void count();
  }

  @Configuration(proxyBeanMethods = false)
  static class WithScope {
    @Bean
    @Scope(scopeName = "prototype", proxyMode = ScopedProxyMode.INTERFACES)
    Counter counter() {
      return () -> {};
    }
  }

  @Test
  void isChargedOnceThroughTheProxyOfAScope() {
    try (ConfigurableApplicationContext context = StartupTest.start(Map.of(), WithScope.class)) {
      Counter counter = context.getBean("counter", Counter.class);
      counter.count();
      counter.count();
      assertThatThrownBy(counter::count).isInstanceOf(RateLimitExceededException.class);
    }
  }

  @Test
  void runsInTheCallersThreadWithARemoteStore() {
    try (ConfigurableApplicationContext context =
        StartupTest.start(
            Map.of(
                "weir.rules",
                SETTINGS.get("weir.rules"),
                "weir.store",
                SharedRedis.empty().url(),
                "weir.store-timeout",
                "20s"),
            Guarded.class)) {
      assertThat(context.getBean(Guarded.class).later().join()).isSameAs(Thread.currentThread());
    }
  }

  @Test
  void mayPutAMockInPlaceOfABean() {
    try (ConfigurableApplicationContext context =
        new SpringApplicationBuilder(StartupTest.Plain.class, Guarded.class)
            .web(WebApplicationType.NONE)
            .properties(SETTINGS)
            .initializers(
                starting ->
                    starting.addBeanFactoryPostProcessor(
                        beans -> {
                          String name = beans.getBeanNamesForType(Guarded.class)[0];
                          beans.registerSingleton(name, Mockito.mock(Guarded.class));
                        }))
            .run("--spring.config.name=none")) {
      assertThat(Mockito.mockingDetails(context.getBean(Guarded.class)).isMock()).isTrue();
    }
  }

  @Test
  void readsMockRequestsWithoutAServer() {
    MockServerHttpRequest request =
        MockServerHttpRequest.get("/a?b")
            .remoteAddress(new InetSocketAddress("192.0.2.7", 1))
            .build();
    assertThat(RequestEventLoop.asTask(Mono.just("served"), request).block()).isEqualTo("served");
    assertThat(OriginalRequest.peer(request)).isEqualTo(request.getRemoteAddress());
    assertThat(OriginalRequest.target(request)).isEqualTo("/a?b");
  }
}
