package io.weir.redis;

import io.lettuce.core.ClientOptions;
import io.lettuce.core.MaintNotificationsConfig;

/**
 * Whether a server is asked to announce its maintenance: it is not, for nobody here would listen.
 * The client asks for it from version 7 on. An application may bring an older one along, which
 * neither asks nor knows the setting.
 */
final class Maintenance {
  private static final boolean IS_KNOWN = isKnown();

  private Maintenance() {}

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

  /** Loaded where the setting is known. */
  private static final class Known {
    static ClientOptions.Builder unannounced(ClientOptions.Builder options) {
      return options.maintNotificationsConfig(MaintNotificationsConfig.disabled());
    }
  }
}
