package io.weir.example.client;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.weir.rules.file.RuleFiles;
import io.weir.server.Server;
import io.weir.server.ServerSettings;
import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.net.URI;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Runs the example against a real gateway and exceeds its limit. */
@Timeout(120)
class FetchTest {
  @Test
  void fetchesEveryPage() throws Exception {
    String rules =
        "rules: [ { name: client, per: ip, limit: { rate: 20 per second, burst: 50 } } ]";
    try (Server server =
        Server.start(
            ServerSettings.DEMO.onFreePorts(),
            RuleFiles.read("rules.yaml", rules.getBytes(UTF_8)).rules().orElseThrow())) {
      ByteArrayOutputStream out = new ByteArrayOutputStream();
      URI items = URI.create("http://127.0.0.1:" + server.gatewayPort() + "/items");
      assertThat(Fetch.fetch(items, 90, new PrintStream(out, true, UTF_8))).isEqualTo(90);
      assertThat(out.toString(UTF_8)).contains("90 of 90 fetched in ");
    }
  }
}
