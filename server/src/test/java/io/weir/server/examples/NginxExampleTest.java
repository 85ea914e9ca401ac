package io.weir.server.examples;

import io.weir.rig.WebProxy;
import java.util.Map;
import org.junit.jupiter.api.Tag;

/** {@code examples/nginx}, run by a real nginx. */
@Tag("slow")
class NginxExampleTest extends ProxySuite {
  @Override
  WebProxy kind() {
    return WebProxy.NGINX;
  }

  @Override
  Map<String, String> files(int port, int weir, int application) {
    String file = Example.text("nginx/nginx.conf");
    file = Example.replace(file, "listen 127.0.0.1:8000;", "listen 127.0.0.1:" + port + ";");
    file = Example.replace(file, "server 127.0.0.1:8081;", "server 127.0.0.1:" + weir + ";");
    file = Example.replace(file, "http://127.0.0.1:9000;", "http://127.0.0.1:" + application + ";");
    file = Example.replace(file, "_timeout 100ms;", "_timeout " + PATIENCE + ";");
    file = Example.replace(file, "_timeout    250ms;", "_timeout " + PATIENCE + ";");
    return Map.of("nginx.conf", file);
  }

  @Override
  Map<String, String> closed(Map<String, String> files) {
    String file = files.get("nginx.conf");
    file = Example.replace(file, "return 204; ", "# ");
    return Map.of("nginx.conf", Example.replace(file, "# return 403;", "return 403;"));
  }

  @Override
  int statusWhenClosed() {
    return 429;
  }
}
