package io.weir.server.rls;

import io.weir.server.SettingsBuilder;

/** How refused requests count. */
enum Counting {
  /** They spend nothing. */
  WEIR(false),
  /** As in envoyproxy/ratelimit. */
  ENVOY(true);

  private final boolean isEnvoys;

  Counting(boolean isEnvoys) {
    this.isEnvoys = isEnvoys;
  }

  SettingsBuilder in(SettingsBuilder settings) {
    return settings.envoyCounting(isEnvoys);
  }
}
