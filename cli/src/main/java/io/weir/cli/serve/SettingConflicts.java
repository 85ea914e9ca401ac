package io.weir.cli.serve;

import io.weir.server.ServerSettings;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** Checks settings that are valid alone and invalid in combination. */
final class SettingConflicts {
  private SettingConflicts() {}

  static List<String> problems(ServerSettings serverSettings) {
    List<String> problems = new ArrayList<>();
    Map<Integer, Setting> ports = new LinkedHashMap<>();
    checkPort(ports, serverSettings.gateway(), Setting.GATEWAY_PORT, problems);
    checkPort(ports, serverSettings.service().port(), Setting.SERVICE_PORT, problems);
    checkPort(ports, serverSettings.admin().port(), Setting.ADMIN_PORT, problems);
    serverSettings
        .health()
        .ifPresent(port -> checkPort(ports, port, Setting.HEALTH_PORT, problems));
    return problems;
  }

  private static void checkPort(
      Map<Integer, Setting> ports, int port, Setting setting, List<String> problems) {
    Setting other = port == 0 ? null : ports.putIfAbsent(port, setting);
    if (other != null) {
      problems.add(
          "%s and %s are both %d; each needs a port of its own"
              .formatted(other.flag(), setting.flag(), port));
    }
  }
}
