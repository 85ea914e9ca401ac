package io.weir.server.examples;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.weir.rules.file.RuleFiles;
import io.weir.server.Server;
import io.weir.server.ServerSettings;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;

/** {@code examples/istio/weir.yaml}: pods that start with few rights, and end without losing. */
class IstioDeploymentTest {
  private final Yaml deployment = Yaml.of("istio/weir.yaml", "Deployment");
  private final Yaml pod = deployment.at("spec", "template", "spec");
  private final Yaml container = pod.at("containers").named("weir");

  @Test
  void everyProbeUsesAPageOfTheHealthPort() {
    String rules = "rules: [ { name: a, limit: 1 per second } ]";
    ServerSettings serverSettings =
        ServerSettings.DEMO.onFreePorts().toBuilder().healthPort(0).build();
    try (Server server =
        Server.start(
            serverSettings,
            RuleFiles.read("rules.yaml", rules.getBytes(UTF_8)).rules().orElseThrow())) {
      ProxyClient health = new ProxyClient(server.healthPort().orElseThrow());
      for (String probe : List.of("startupProbe", "readinessProbe", "livenessProbe")) {
        Yaml get = container.at(probe, "httpGet");
        assertThat(health.get(get.at("path").text()).statusCode()).as(probe).isEqualTo(200);
        int port = container.at("ports").named(get.at("port").text()).at("containerPort").number();
        assertThat(arguments()).contains("--health-port=" + port);
      }
    }
    assertThat(container.at("livenessProbe", "httpGet", "path").text())
        .as("a node that drains is alive")
        .isNotEqualTo(container.at("readinessProbe", "httpGet", "path").text());
  }

  @Test
  void startMayTakeLongerThanTheLongestWarmUp() {
    Yaml probe = container.at("startupProbe");
    int seconds = probe.at("periodSeconds").number() * probe.at("failureThreshold").number();
    assertThat(seconds).isGreaterThan(30);
  }

  @Test
  void podMayTakeLongerToEndThanItsRequests() {
    int pause = container.at("lifecycle", "preStop", "sleep", "seconds").number();
    assertThat(pause).isPositive();
    assertThat(pod.at("terminationGracePeriodSeconds").number())
        .isGreaterThan(pause + (int) ServerSettings.DEMO.drain().toSeconds());
  }

  @Test
  void disruptionsTakeOneNodeAtATime() {
    Yaml budget = Yaml.of("istio/weir.yaml", "PodDisruptionBudget");
    assertThat(budget.at("apiVersion").text()).isEqualTo("policy/v1");
    assertThat(budget.at("spec", "maxUnavailable").number()).isEqualTo(1);
    assertThat(budget.at("spec", "selector").value())
        .isEqualTo(deployment.at("spec", "selector").value());
    assertThat(budget.at("metadata", "namespace").text())
        .isEqualTo(deployment.at("metadata", "namespace").text());
    assertThat(deployment.at("spec", "replicas").number()).isGreaterThan(1);
    assertThat(deployment.at("spec", "strategy", "rollingUpdate", "maxUnavailable").number())
        .isZero();
  }

  /**
   * The requirements of the Kubernetes standard "restricted" on pods, and a read-only root file
   * system.
   */
  @Test
  void containerHasNoRightsThatItDoesNotNeed() throws IOException {
    Yaml user = pod.at("securityContext");
    assertThat(user.at("runAsNonRoot").value()).isEqualTo(true);
    assertThat(user.at("runAsUser").number())
        .as("the user of the image")
        .isEqualTo(Integer.parseInt(inDockerfile("useradd .*--uid (\\d+)")));
    assertThat(user.at("seccompProfile", "type").text()).isEqualTo("RuntimeDefault");
    Yaml rights = container.at("securityContext");
    assertThat(rights.at("allowPrivilegeEscalation").value()).isEqualTo(false);
    assertThat(rights.at("readOnlyRootFilesystem").value()).isEqualTo(true);
    assertThat(rights.at("capabilities").value()).isEqualTo(Map.of("drop", List.of("ALL")));
    assertThat(pod.at("automountServiceAccountToken").value()).isEqualTo(false);
  }

  /** Java and Netty need a directory for temporary files, Weir one for what outlives a restart. */
  @Test
  void whatTheProcessWritesCanBeWritten() throws IOException {
    Set<String> writable = new HashSet<>();
    for (Yaml mount : container.at("volumeMounts").items()) {
      Yaml volume = pod.at("volumes").named(mount.at("name").text());
      if (volume.has("emptyDir")) {
        writable.add(mount.at("mountPath").text());
      } else {
        assertThat(mount.at("readOnly").value()).isEqualTo(true);
      }
    }
    assertThat(writable).containsExactlyInAnyOrder("/tmp", inDockerfile("ENV WEIR_DATA=(\\S+)"));
  }

  /** In a variable a token would be shown by {@code kubectl describe}. */
  @Test
  void tokenIsAFileOfTheSecretThatTheReadmeMakes() {
    Yaml secret = pod.at("volumes").named("secrets").at("secret");
    String key =
        found("generic (\\S+) --from-literal=([a-z-]+)=", Example.text("istio/README.md"), 2);
    assertThat(secret.at("secretName").text())
        .isEqualTo(found("generic (\\S+) ", Example.text("istio/README.md"), 1));
    assertThat(arguments())
        .contains(
            "--admin-token-file="
                + container.at("volumeMounts").named("secrets").at("mountPath").text()
                + "/"
                + key);
    assertThat(pod.at("securityContext").has("fsGroup")).as("the user can read it").isTrue();
    assertThat(container.has("env")).isFalse();
  }

  private List<String> arguments() {
    return container.at("args").items().stream().map(Yaml::text).toList();
  }

  private static String inDockerfile(String pattern) throws IOException {
    return found(pattern, Files.readString(Path.of("../deploy/Dockerfile")), 1);
  }

  private static String found(String pattern, String text, int group) {
    Matcher matcher = Pattern.compile(pattern).matcher(text);
    assertThat(matcher.find()).as(pattern).isTrue();
    return matcher.group(group);
  }
}
