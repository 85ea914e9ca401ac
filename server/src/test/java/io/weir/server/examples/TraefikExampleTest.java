package io.weir.server.examples;

import static org.assertj.core.api.Assertions.assertThat;

import io.weir.rules.file.RuleFiles;
import io.weir.server.Server;
import io.weir.server.ServerSettings;
import java.net.URI;
import java.net.http.HttpResponse;
import java.util.List;
import org.junit.jupiter.api.Test;

/**
 * {@code examples/traefik}: Traefik is not in Debian, so the test sends the requests that Traefik
 * would send with this configuration.
 */
class TraefikExampleTest {
  private final Yaml http = Yaml.of("traefik/dynamic.yaml").at("http");

  @Test
  void everythingThatIsNamedIsThere() {
    Yaml router = http.at("routers", "web");
    router.items("middlewares").forEach(each -> http.at("middlewares", each.text()));
    http.at("services", router.at("service").text());
    Yaml fixed = Yaml.of("traefik/traefik.yaml");
    router.items("entryPoints").forEach(each -> fixed.at("entryPoints", each.text()));
    assertThat(Example.path("traefik").resolve(fixed.at("providers", "file", "filename").text()))
        .exists();
  }

  @Test
  void decidesForwardAuthOfTraefik() {
    Yaml auth = http.at("middlewares", "weir", "forwardAuth");
    URI address = URI.create(auth.at("address").text());
    assertThat(address.getPort()).isEqualTo(ServerSettings.DEMO.service().port());
    assertThat(auth.at("trustForwardHeader").value()).isEqualTo(false);
    // What is not in the list does not arrive, so it must have what the rules use, and no more.
    assertThat(auth.items("authRequestHeaders").stream().map(Yaml::text))
        .contains("X-API-Key", "X-User-Id")
        .noneMatch(name -> name.startsWith("X-Original-") || name.startsWith("X-Forwarded-"));

    try (Server server =
        Server.start(
            ServerSettings.DEMO.onFreePorts(),
            RuleFiles.load(List.of(Example.path("shop.yaml"))))) {
      ProxyClient proxyClient = new ProxyClient(server.servicePort());
      for (int i = 0; i < 6; i++) {
        HttpResponse<String> response =
            proxyClient.get(
                address.getPath(),
                "X-Forwarded-Method",
                "POST",
                "X-Forwarded-Uri",
                "/api/v1/login?from=home",
                "X-Forwarded-Host",
                "shop.example",
                "X-Forwarded-Proto",
                "http",
                "X-Forwarded-For",
                "203.0.113.7");
        assertThat(response.statusCode()).as(response.body()).isEqualTo(i < 5 ? 200 : 429);
        assertThat(ProxyClient.header(response, "RateLimit")).contains("\"login\"");
        if (i == 5) {
          assertThat(ProxyClient.header(response, "Retry-After")).isNotNull();
          assertThat(response.body()).contains("\"rule\":\"login\"");
        }
      }
    }
  }
}
