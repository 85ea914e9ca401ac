package io.weir.spring.diagnostics;

import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.weir.Limit;
import io.weir.rules.Rule;
import io.weir.spring.MisconfiguredException;
import io.weir.spring.WeirProperties;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.beans.factory.support.RootBeanDefinition;
import org.springframework.boot.context.properties.bind.Bindable;
import org.springframework.boot.context.properties.bind.Binder;
import org.springframework.context.support.GenericApplicationContext;
import org.springframework.core.env.MapPropertySource;

class EnvironmentChecksTest {
  /** A client that sends X-Forwarded-For would have a bucket for each address that it invents. */
  @ParameterizedTest
  @ValueSource(
      strings = {
        "jetty.JettyServletWebServerFactory",
        "jetty.JettyReactiveWebServerFactory",
        "undertow.UndertowServletWebServerFactory",
        "undertow.UndertowReactiveWebServerFactory"
      })
  void serversThatTrustEveryForwardedAddressStopTheStart(String factory) {
    GenericApplicationContext context = new GenericApplicationContext();
    context
        .getEnvironment()
        .getPropertySources()
        .addFirst(
            new MapPropertySource(
                "test",
                Map.of(
                    "server.forward-headers-strategy", "native",
                    "weir.trusted-proxies", "127.0.0.1")));
    RootBeanDefinition server = new RootBeanDefinition();
    server.setBeanClassName("org.springframework.boot.web.embedded." + factory);
    server.setLazyInit(true);
    context.registerBeanDefinition("server", server);
    context.refresh();
    WeirProperties properties =
        Binder.get(context.getEnvironment())
            .bindOrCreate("weir", Bindable.of(WeirProperties.class));
    Rule rule =
        Rule.named("all").per("ip").limits(List.of(Limit.tokenBucket(1).perSecond())).build();
    assertThatThrownBy(() -> new EnvironmentChecks(context, properties).requireTrust(List.of(rule)))
        .isInstanceOf(MisconfiguredException.class)
        .hasMessageContaining("any address that a client sends");
  }
}
