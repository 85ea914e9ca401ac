package io.weir.cli.serve;

import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import java.util.regex.Pattern;

/**
 * Variables that Kubernetes sets for each Service of a namespace and that collide with settings. A
 * Service {@code weir} sets {@code WEIR_SERVICE_PORT} to its own port. A Service {@code weir-admin}
 * sets {@code WEIR_ADMIN_PORT=tcp://10.0.0.1:8082}.
 */
final class ServiceLinks {
  private static final Pattern ADDRESS = Pattern.compile("(tcp|udp|sctp)://.*", Pattern.DOTALL);
  private static final List<Setting> PORTS =
      List.of(Setting.GATEWAY_PORT, Setting.SERVICE_PORT, Setting.ADMIN_PORT, Setting.HEALTH_PORT);
  private static final String ADVICE =
      "; set enableServiceLinks: false in the pod, or give the Service another name";

  private ServiceLinks() {}

  /**
   * The environment without these variables.
   *
   * @param warnings receives a line for each that was left out
   */
  static Map<String, String> removed(Map<String, String> environment, Consumer<String> warnings) {
    Map<String, String> rest = new HashMap<>(environment);
    if (environment.containsKey("WEIR_SERVICE_HOST")
        && environment.getOrDefault("WEIR_PORT", "").startsWith("tcp://")) {
      String port = rest.remove(Setting.SERVICE_PORT.variable());
      if (port != null) {
        warnings.accept(
            "WEIR_SERVICE_PORT="
                + port
                + " is ignored: Kubernetes set it for a Service named"
                + " 'weir'"
                + ADVICE);
      }
    }
    for (Setting setting : PORTS) {
      String value = rest.get(setting.variable());
      if (value != null && ADDRESS.matcher(value).matches()) {
        rest.remove(setting.variable());
        String service =
            setting
                .variable()
                .replaceFirst("_PORT$", "")
                .replace('_', '-')
                .toLowerCase(java.util.Locale.ROOT);
        warnings.accept(
            setting.variable()
                + "="
                + value
                + " is ignored: Kubernetes set it for a Service named '"
                + service
                + "'"
                + ADVICE);
      }
    }
    return rest;
  }
}
