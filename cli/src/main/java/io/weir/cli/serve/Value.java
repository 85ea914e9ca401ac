package io.weir.cli.serve;

import io.weir.node.StoreUrl;
import io.weir.server.SettingsBuilder;

/**
 * The value of a setting.
 *
 * @param meaning equal for values that mean the same, such as 1m and 60s
 * @param shown for people, without secrets
 */
public record Value(Object meaning, String shown) {
  static final String HIDDEN = "(not shown)";

  private static final int MAX_SHOWN = 200;

  /** The value of a setting given as {@code given}, which is valid. */
  static Value of(Setting setting, Given given) {
    return new Value(meaning(setting, given), shown(setting, given));
  }

  /** The default value. */
  static Value unset(Setting setting) {
    return new Value(SettingsReader.DEFAULTS, setting.fallback());
  }

  /** All settings with only this one set. */
  private static Object meaning(Setting setting, Given given) {
    SettingsBuilder alone = SettingsReader.DEFAULTS.toBuilder();
    setting.read(given, alone);
    try {
      return alone.build();
    } catch (IllegalArgumentException e) {
      return given; // it is valid only with others, as a certificate with a key
    }
  }

  private static String shown(Setting setting, Given given) {
    if (setting.kind() == Setting.Kind.SECRET) {
      return HIDDEN;
    }
    String text = String.join(", ", given.texts());
    String safe = setting == Setting.STORE ? StoreUrl.shown(text) : text;
    return safe.length() > MAX_SHOWN ? safe.substring(0, MAX_SHOWN) + "…" : safe;
  }

  @Override
  public String toString() {
    return shown;
  }
}
