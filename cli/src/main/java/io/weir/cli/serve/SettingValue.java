package io.weir.cli.serve;

import io.weir.runtime.StoreUrl;
import io.weir.server.ServerSettingsBuilder;

/**
 * The value of a setting.
 *
 * @param meaning equal for values that mean the same, such as 1m and 60s
 * @param shown for people, without secrets
 */
public record SettingValue(Object meaning, String shown) {
  static final String HIDDEN = "(not shown)";

  private static final int MAX_SHOWN = 200;

  /** The value of a setting given as {@code given}, which is valid. */
  static SettingValue of(Setting setting, RawSetting rawSetting) {
    return new SettingValue(meaning(setting, rawSetting), shown(setting, rawSetting));
  }

  /** The default value. */
  static SettingValue unset(Setting setting) {
    return new SettingValue(SettingsReader.DEFAULTS, setting.fallback());
  }

  /** All settings with only this one set. */
  private static Object meaning(Setting setting, RawSetting rawSetting) {
    ServerSettingsBuilder alone = SettingsReader.DEFAULTS.toBuilder();
    setting.read(rawSetting, alone);
    try {
      return alone.build();
    } catch (IllegalArgumentException e) {
      return rawSetting; // it is valid only with others, as a certificate with a key
    }
  }

  private static String shown(Setting setting, RawSetting rawSetting) {
    if (setting.kind() == Setting.Kind.SECRET) {
      return HIDDEN;
    }
    String text = String.join(", ", rawSetting.texts());
    String safe = setting == Setting.STORE ? StoreUrl.shown(text) : text;
    return safe.length() > MAX_SHOWN ? safe.substring(0, MAX_SHOWN) + "…" : safe;
  }

  @Override
  public String toString() {
    return shown;
  }
}
