package io.weir.server.admin;

import io.vertx.core.http.HttpServerRequest;
import io.weir.rules.Rule;

/**
 * Writes down who changed what by hand, and who was shown keys in full: a line each, and no key in
 * full.
 */
final class AuditLog {
  private static final System.Logger LOG = System.getLogger("io.weir.audit");
  private static final int SHOWN = 3;

  void changed(String what, Rule rule, String key, HttpServerRequest by) {
    LOG.log(
        System.Logger.Level.INFO,
        () ->
            "%s: rule %s, domain %s, key %s, by %s"
                .formatted(what, rule.name(), rule.domain(), masked(key), by.remoteAddress()));
  }

  void revealed(int keys, String of, HttpServerRequest to) {
    LOG.log(
        System.Logger.Level.INFO,
        () -> "reveal: %d keys of %s, to %s".formatted(keys, of, to.remoteAddress()));
  }

  /** The first letters of what is long enough to stay unknown by them. */
  static String masked(String key) {
    String shown = key.length() < SHOWN * 3 ? "" : key.substring(0, SHOWN);
    return shown.replaceAll("[^\\x20-\\x7e]", "?") + "***";
  }
}
