package io.weir.server.examples;

import static org.assertj.core.api.Assertions.assertThat;

import io.weir.rules.RequestLimiter;
import io.weir.rules.RuleDecision;
import io.weir.rules.RuleSet;
import io.weir.rules.envoy.Descriptor;
import io.weir.rules.envoy.DescriptorDecision;
import io.weir.rules.envoy.DescriptorMatch;
import io.weir.rules.envoy.DescriptorRequest;
import io.weir.rules.file.RuleFiles;
import io.weir.server.ServerSettings;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * {@code examples/envoy} and {@code examples/istio}: every descriptor that they make Envoy send is
 * limited by the rules beside them, and they name the address of Weir.
 */
class EnvoyExampleTest {
  private static final int PORT = ServerSettings.DEMO.service().port();

  private final Yaml manager =
      Yaml.of("envoy/envoy.yaml")
          .at("static_resources", "listeners")
          .named("web")
          .at("filter_chains")
          .items()
          .get(0)
          .at("filters")
          .items()
          .get(0)
          .at("typed_config");

  @Test
  void filterCallsWeirAndFailsOpen() {
    Yaml filter =
        manager.at("http_filters").named("envoy.filters.http.ratelimit").at("typed_config");
    isOpenAndQuick(filter);
    assertThat(service(filter).at("cluster_name").text()).isEqualTo("weir");

    Yaml cluster = Yaml.of("envoy/envoy.yaml").at("static_resources", "clusters").named("weir");
    speaksHttp2(cluster);
    assertThat(address(cluster).at("address").text()).isEqualTo("127.0.0.1");
    assertThat(address(cluster).at("port_value").number()).isEqualTo(PORT);
  }

  @ParameterizedTest
  @ValueSource(strings = {"envoy/rules.yaml", "envoy/native.yaml"})
  void everyDescriptorIsLimited(String file) {
    RuleSet rules = RuleFiles.load(List.of(Example.path(file)));
    String domain =
        manager
            .at("http_filters")
            .named("envoy.filters.http.ratelimit")
            .at("typed_config", "domain")
            .text();
    Yaml host = manager.at("route_config", "virtual_hosts").named("all");

    assertThat(names(rules, domain, host.items("rate_limits")))
        .isEqualTo(List.of(List.of("address"), List.of("key")));
    List<List<List<String>>> byRoute =
        host.at("routes").items().stream()
            .map(route -> names(rules, domain, route.at("route").items("rate_limits")))
            .toList();
    assertThat(byRoute)
        .containsExactly(
            List.of(List.of("login")), List.of(List.of("api")), List.<List<String>>of());
  }

  @Test
  void rulesOfTheEnvoyFormAreFoundByEnvoysTree() {
    RuleSet rules = RuleFiles.load(List.of(Example.path("envoy/rules.yaml")));
    Descriptor post = Descriptor.of("path", "/api").and("method", "POST");
    Descriptor login = Descriptor.of("path", "/login").and("remote_address", "203.0.113.7");

    assertThat(rules.find("shop", List.of(post, login)))
        .allSatisfy(found -> assertThat(found).isInstanceOf(DescriptorMatch.Limited.class));
  }

  @Test
  void gatewayCallsServiceOfTheCluster(@TempDir Path directory) throws IOException {
    Yaml service = Yaml.of("istio/weir.yaml", "Service");
    String host =
        service.at("metadata", "name").text()
            + "."
            + service.at("metadata", "namespace").text()
            + ".svc.cluster.local";
    int port = service.at("spec", "ports").named("grpc").at("port").number();
    assertThat(port).isEqualTo(PORT);
    List<Yaml> patches = Yaml.of("istio/gateway.yaml").at("spec", "configPatches").items();
    Yaml filter = value(patches, "HTTP_FILTER").at("typed_config");
    isOpenAndQuick(filter);
    assertThat(service(filter).at("cluster_name").text()).isEqualTo("outbound|%d||%s", port, host);

    RuleSet rules = ruleOfConfigMap(directory);
    String domain = filter.at("domain").text();
    assertThat(names(rules, domain, value(patches, "VIRTUAL_HOST").items("rate_limits")))
        .isEqualTo(List.of(List.of("address"), List.of("key")));
    assertThat(names(rules, domain, value(patches, "HTTP_ROUTE").at("route").items("rate_limits")))
        .isEqualTo(List.of(List.of("login")));

    Yaml outside = Yaml.of("istio/outside.yaml");
    assertThat(outside.at("spec", "ports").items().get(0).at("number").number()).isEqualTo(PORT);
  }

  @Test
  void sidecarCallsServiceOfTheCluster(@TempDir Path directory) throws IOException {
    List<Yaml> patches = Yaml.of("istio/sidecar.yaml").at("spec", "configPatches").items();
    Yaml filter = value(patches, "HTTP_FILTER").at("typed_config");
    isOpenAndQuick(filter);
    Yaml cluster = value(patches, "CLUSTER");
    assertThat(service(filter).at("cluster_name").text()).isEqualTo(cluster.at("name").text());
    speaksHttp2(cluster);
    assertThat(address(cluster).at("address").text()).isEqualTo("weir.weir.svc.cluster.local");
    assertThat(address(cluster).at("port_value").number()).isEqualTo(PORT);
    assertThat(
            names(
                ruleOfConfigMap(directory),
                filter.at("domain").text(),
                value(patches, "VIRTUAL_HOST").items("rate_limits")))
        .isEqualTo(List.of(List.of("address"), List.of("key")));
  }

  @Test
  void theDeploymentFitsItself() {
    Yaml pod = Yaml.of("istio/weir.yaml", "Deployment").at("spec", "template", "spec");
    Yaml container = pod.at("containers").named("weir");
    Yaml service = Yaml.of("istio/weir.yaml", "Service");
    assertThat(service.at("spec", "selector").value())
        .isEqualTo(
            Yaml.of("istio/weir.yaml", "Deployment")
                .at("spec", "template", "metadata", "labels")
                .value());
    assertThat(container.at("ports").named("grpc").at("containerPort").number()).isEqualTo(PORT);
    int admin = container.at("ports").named("http-admin").at("containerPort").number();
    assertThat(admin).isEqualTo(ServerSettings.DEMO.admin().port());
    assertThat(pod.at("enableServiceLinks").value())
        .as("a Service named weir would set WEIR_SERVICE_PORT")
        .isEqualTo(false);
    assertThat(container.at("args").items().stream().map(Yaml::text))
        .contains("--rules=" + container.at("volumeMounts").named("rules").at("mountPath").text());
    assertThat(pod.at("volumes").named("rules").at("configMap", "name").text())
        .isEqualTo(Yaml.of("istio/weir.yaml", "ConfigMap").at("metadata", "name").text());
  }

  /** The image's own command is {@code weir serve}: a pod adds options to it, not a command. */
  @Test
  void thePodAddsOptionsToTheCommandOfTheImage() throws IOException {
    String entrypoint =
        Files.readAllLines(Path.of("../deploy/Dockerfile")).stream()
            .filter(line -> line.startsWith("ENTRYPOINT "))
            .findFirst()
            .orElseThrow();
    assertThat(entrypoint).endsWith(", \"serve\"]");
    Yaml container =
        Yaml.of("istio/weir.yaml", "Deployment")
            .at("spec", "template", "spec", "containers")
            .named("weir");
    assertThat(container.has("command")).isFalse();
    assertThat(container.at("args").items().stream().map(Yaml::text))
        .isNotEmpty()
        .allMatch(word -> word.startsWith("--"));
  }

  private static RuleSet ruleOfConfigMap(Path directory) throws IOException {
    String rules = Yaml.of("istio/weir.yaml", "ConfigMap").at("data", "rules.yaml").text();
    return RuleFiles.load(List.of(Files.writeString(directory.resolve("rules.yaml"), rules)));
  }

  private static void isOpenAndQuick(Yaml filter) {
    assertThat(filter.at("failure_mode_deny").value()).isEqualTo(false);
    assertThat(filter.at("rate_limited_as_resource_exhausted").value()).isEqualTo(true);
    assertThat(filter.at("timeout").text()).isEqualTo("0.02s");
    assertThat(filter.at("rate_limit_service", "transport_api_version").text()).isEqualTo("V3");
    assertThat(filter.at("enable_x_ratelimit_headers").text()).isEqualTo("OFF");
  }

  private static Yaml service(Yaml filter) {
    return filter.at("rate_limit_service", "grpc_service", "envoy_grpc");
  }

  private static void speaksHttp2(Yaml cluster) {
    String options = "envoy.extensions.upstreams.http.v3.HttpProtocolOptions";
    assertThat(
            cluster
                .at("typed_extension_protocol_options", options, "explicit_http_config")
                .has("http2_protocol_options"))
        .isTrue();
  }

  private static Yaml address(Yaml cluster) {
    return cluster
        .at("load_assignment", "endpoints")
        .items()
        .get(0)
        .at("lb_endpoints")
        .items()
        .get(0)
        .at("endpoint", "address", "socket_address");
  }

  private static Yaml value(List<Yaml> patches, String applyTo) {
    return patches.stream()
        .filter(patch -> patch.at("applyTo").text().equals(applyTo))
        .findFirst()
        .orElseThrow()
        .at("patch", "value");
  }

  /** The rules that limit each descriptor of these actions. */
  private static List<List<String>> names(RuleSet rules, String domain, List<Yaml> rateLimits) {
    if (rateLimits.isEmpty()) {
      return List.of();
    }
    DescriptorDecision decision =
        RequestLimiter.builder(rules)
            .build()
            .checkAsync(new DescriptorRequest(domain, EnvoyActions.descriptors(rateLimits), 1))
            .toCompletableFuture()
            .join();
    List<List<String>> names = new ArrayList<>();
    for (DescriptorDecision.DescriptorResult descriptorResult : decision.descriptorResults()) {
      names.add(
          descriptorResult.requestDecision().ruleDecisions().stream()
              .map(RuleDecision::rule)
              .map(rule -> rule.name())
              .toList());
    }
    return names;
  }
}
