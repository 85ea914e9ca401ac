package io.weir.cli.serve;

import io.weir.server.Forwarding;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/**
 * A setting that has changed.
 *
 * @param key the key of the setting
 * @param before the old value, safe to show
 * @param after the new value, safe to show
 * @param isLive whether a running server can apply it
 */
public record SettingChange(String key, String before, String after, boolean isLive) {
  private static final Set<Setting> TOKENS = Set.of(Setting.ADMIN_TOKEN, Setting.SERVICE_TOKEN);

  /** All differences, in the order of the help. */
  public static List<SettingChange> between(
      SettingsReader.Result before, SettingsReader.Result after) {
    List<SettingChange> all = new ArrayList<>();
    for (Setting setting : Setting.values()) {
      Optional<SettingValue> old = Optional.ofNullable(before.settingValues().get(setting));
      Optional<SettingValue> now = Optional.ofNullable(after.settingValues().get(setting));
      SettingValue was = old.orElseGet(() -> SettingValue.unset(setting));
      SettingValue is = now.orElseGet(() -> SettingValue.unset(setting));
      if (!was.meaning().equals(is.meaning())) {
        boolean isSwitched =
            (TOKENS.contains(setting) && old.isEmpty())
                || ((TOKENS.contains(setting) || setting == Setting.RULES) && now.isEmpty());
        boolean isLive = setting.isLive() && !isSwitched;
        all.add(new SettingChange(setting.key(), was.shown(), is.shown(), isLive));
      }
    }
    List<Forwarding.Route> oldRoutes = routes(before);
    List<Forwarding.Route> newRoutes = routes(after);
    if (!oldRoutes.equals(newRoutes)) {
      all.add(new SettingChange(RouteReader.KEY, shown(oldRoutes), shown(newRoutes), false));
    }
    return all;
  }

  private static List<Forwarding.Route> routes(SettingsReader.Result result) {
    return result
        .made()
        .map(serverSettings -> serverSettings.forwarding().routes())
        .orElse(List.of());
  }

  private static String shown(List<Forwarding.Route> routes) {
    return routes.isEmpty() ? "none" : routes.size() == 1 ? "1 route" : routes.size() + " routes";
  }

  /** Formats like {@code admin_port 8082 → 9000}. */
  @Override
  public String toString() {
    if (!before.equals(after)) {
      return key + " " + before + " → " + after;
    }
    return key
        + " "
        + after
        + (after.equals(SettingValue.HIDDEN) ? "" : ", in parts that are not shown");
  }
}
