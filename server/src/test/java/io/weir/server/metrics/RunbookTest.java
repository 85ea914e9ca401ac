package io.weir.server.metrics;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.weir.rig.Program;
import io.weir.rules.file.RuleFiles;
import io.weir.server.Server;
import io.weir.server.ServerSettings;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * The commands of the runbook work as printed, because an operator copies them during an outage.
 */
@Tag("slow")
class RunbookTest {
  private static final Pattern SETUP = Pattern.compile("(?m)^ask\\(\\) \\{.*\\}$");
  private static final Pattern COMMAND =
      Pattern.compile("(?m)^ *((?:ask |curl [^\\n]*\\$WEIR_ADMIN/).*)$");

  @Test
  void everyCheckGetsAResponse(@TempDir Path directory) throws Exception {
    for (String program : List.of("bash", "curl", "jq")) {
      assumeTrue(Program.find(program).isPresent(), program + " is not installed");
    }
    String runbook = Files.readString(PrometheusFiles.RUNBOOK);
    Matcher setup = SETUP.matcher(runbook);
    assertThat(setup.find()).isTrue();
    Set<String> commands = new LinkedHashSet<>();
    for (Matcher command = COMMAND.matcher(runbook); command.find(); ) {
      commands.add(command.group(1).replace("NAME", "login"));
    }
    assertThat(commands).hasSizeGreaterThan(8);

    String rules = "rules: [ { name: login, per: user, limit: 2 per hour } ]";
    ServerSettings serverSettings =
        ServerSettings.DEMO.onFreePorts().toBuilder()
            .adminToken(new ServerSettings.Secret("secret"))
            .build();
    try (Server server =
        Server.start(
            serverSettings,
            RuleFiles.read("rules.yaml", rules.getBytes(UTF_8)).rules().orElseThrow())) {
      for (int i = 0; i < 4; i++) {
        check(server, "ann");
      }
      StringBuilder script = new StringBuilder("set -euo pipefail\n").append(setup.group());
      // A status of 4xx is a failure, and so is a field that is not there.
      script.append("\ncurl() { command curl --fail-with-body \"$@\"; }\n");
      for (String command : commands) {
        boolean mayBeEmpty = command.contains("rejected") || command.startsWith("ask /v1/changes");
        script
            .append("echo '> ' ")
            .append("'" + command.replace("'", "'\\''") + "'\n")
            .append(mayBeEmpty ? command : command.replace("| jq", "| jq -e"))
            .append('\n');
      }
      Path file = Files.writeString(directory.resolve("runbook.sh"), script);
      ProcessBuilder builder =
          new ProcessBuilder("bash", file.toString())
              .redirectErrorStream(true)
              .redirectOutput(directory.resolve("out").toFile());
      builder.environment().put("WEIR_ADMIN", "http://127.0.0.1:" + server.adminPort());
      builder.environment().put("WEIR_ADMIN_TOKEN", "secret");
      Process process = builder.start();
      try {
        assertThat(process.waitFor(1, TimeUnit.MINUTES)).as("the commands end").isTrue();
      } finally {
        process.destroyForcibly();
      }
      assertThat(process.exitValue()).as(() -> read(directory.resolve("out"))).isZero();
    }
  }

  private static String read(Path file) {
    try {
      return Files.readString(file);
    } catch (java.io.IOException e) {
      throw new java.io.UncheckedIOException(e);
    }
  }

  private static void check(Server server, String user) throws Exception {
    HttpClient.newHttpClient()
        .send(
            HttpRequest.newBuilder(
                    URI.create(
                        "http://127.0.0.1:%d/v1/check?user=%s"
                            .formatted(server.servicePort(), user)))
                .build(),
            HttpResponse.BodyHandlers.ofString());
  }
}
