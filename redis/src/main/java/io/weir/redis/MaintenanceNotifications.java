package io.weir.redis;

import io.lettuce.core.ClientOptions;
import io.lettuce.core.MaintNotificationsConfig;

/**
 * Turns off maintenance announcements by the server, because the store does not process them. The
 * client requests them from version 7 on. An application may bring an older client, which has no
 * such setting and needs none.
 */
final class MaintenanceNotifications {
  private static final boolean IS_KNOWN = isKnown();

  private MaintenanceNotifications() {}

  private static boolean isKnown() {
    try {
      Class.forName(
          "io.lettuce.core.MaintNotificationsConfig", false, ClientOptions.class.getClassLoader());
      return true;
    } catch (ClassNotFoundException e) {
      return false;
    }
  }

  static ClientOptions.Builder unannounced(ClientOptions.Builder options) {
    return IS_KNOWN ? Known.unannounced(options) : options;
  }

  /** Loaded only if the setting exists. */
  private static final class Known {
    static ClientOptions.Builder unannounced(ClientOptions.Builder options) {
      return options.maintNotificationsConfig(MaintNotificationsConfig.disabled());
    }
  }
}
