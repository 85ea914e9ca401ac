package io.weir.server.examples;

import io.weir.rig.WebProxy;
import java.util.Map;
import org.junit.jupiter.api.Tag;

/** {@code examples/caddy}, run by a real Caddy where there is one. */
@Tag("slow")
class CaddyExampleTest extends ProxySuite {
  @Override
  WebProxy kind() {
    return WebProxy.CADDY;
  }

  @Override
  Map<String, String> files(int port, int weir, int application) {
    String file = Example.text("caddy/Caddyfile");
    file = Example.replace(file, ":8000 {", ":" + port + " {");
    file = Example.replace(file, "127.0.0.1:8081", "127.0.0.1:" + weir);
    file = Example.replace(file, "127.0.0.1:9000", "127.0.0.1:" + application);
    file = Example.replace(file, "dial_timeout 100ms", "dial_timeout " + PATIENCE);
    file =
        Example.replace(
            file, "response_header_timeout 250ms", "response_header_timeout " + PATIENCE);
    return Map.of("Caddyfile", file);
  }

  @Override
  Map<String, String> closed(Map<String, String> files) {
    String file = files.get("Caddyfile");
    return Map.of(
        "Caddyfile", Example.replace(file, "reverse_proxy @open", "# reverse_proxy @open"));
  }

  @Override
  int statusWhenClosed() {
    return 502;
  }
}
