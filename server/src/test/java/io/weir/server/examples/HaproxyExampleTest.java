package io.weir.server.examples;

import io.weir.rig.WebProxy;
import java.util.HashMap;
import java.util.Map;
import org.junit.jupiter.api.Tag;

/** {@code examples/haproxy}, run by a real HAProxy. */
@Tag("slow")
class HaproxyExampleTest extends ProxySuite {
  @Override
  WebProxy kind() {
    return WebProxy.HAPROXY;
  }

  @Override
  Map<String, String> files(int port, int weir, int application) {
    String file = Example.text("haproxy/haproxy.cfg");
    file = Example.replace(file, "bind 127.0.0.1:8000", "bind 127.0.0.1:" + port);
    file = Example.replace(file, "weir 127.0.0.1:8081", "weir 127.0.0.1:" + weir);
    file =
        Example.replace(file, "application 127.0.0.1:9000", "application 127.0.0.1:" + application);
    file = Example.replace(file, "abns@weir", "abns@weir-" + port);
    file = Example.replace(file, "timeout connect 100ms", "timeout connect " + PATIENCE);
    file = Example.replace(file, "timeout server  250ms", "timeout server " + PATIENCE);
    file = Example.replace(file, "timeout queue   250ms", "timeout queue " + PATIENCE);
    return Map.of("haproxy.cfg", file, "weir.lua", Example.text("haproxy/weir.lua"));
  }

  @Override
  Map<String, String> closed(Map<String, String> files) {
    Map<String, String> all = new HashMap<>(files);
    all.compute("haproxy.cfg", (name, file) -> uncommented(file));
    return all;
  }

  @Override
  int statusWhenClosed() {
    return 503;
  }

  private static String uncommented(String file) {
    return Example.replace(
        file, "# http-request return status 503", "http-request return status 503");
  }
}
