package io.weir.server.rls;

import io.weir.server.ServerSettingsBuilder;

/** How refused requests count. */
enum RefusalCounting {
  /** They spend nothing. */
  WEIR(false),
  /** As in envoyproxy/ratelimit. */
  ENVOY(true);

  private final boolean isEnvoys;

  RefusalCounting(boolean isEnvoys) {
    this.isEnvoys = isEnvoys;
  }

  ServerSettingsBuilder in(ServerSettingsBuilder settings) {
    return settings.envoyCounting(isEnvoys);
  }
}
