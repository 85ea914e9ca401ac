package io.weir.server.admin;

import io.vertx.core.http.HttpServerRequest;
import io.weir.seeing.Key;
import io.weir.server.http.Replies;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Whether keys are shown in full: to whoever asks for it and has shown a token. Where there is no
 * token, anybody on the machine may look, and nobody is shown more than the ends of a key.
 */
final class Reveal {
  static final String PARAMETER = "reveal";

  private final boolean hasToken;
  private final AuditLog audit;

  Reveal(boolean hasToken, AuditLog audit) {
    this.hasToken = hasToken;
    this.audit = audit;
  }

  /** Whether it is asked for; null if it was, and that was refused and answered. */
  @Nullable Boolean isAsked(HttpServerRequest request, @Nullable String parameter) {
    String asked = parameter == null ? "false" : parameter;
    if (!List.of("true", "false").contains(asked)) {
      Replies.send(
          request, Replies.malformed(request, "'" + PARAMETER + "' must be true or false"));
      return null;
    }
    boolean isAsked = asked.equals("true");
    if (isAsked && !hasToken) {
      Replies.send(
          request,
          Replies.error(
              403,
              "forbidden",
              "keys are shown in full only to who has a token, and none is set; set"
                  + " WEIR_ADMIN_TOKEN or admin_token"));
      return null;
    }
    return isAsked;
  }

  /** A key as it is to be shown. */
  static String shown(Key key, boolean isRevealed) {
    return isRevealed ? key.revealed() : key.masked();
  }

  /** Writes down that keys are shown in full. */
  void note(boolean isRevealed, List<Key> keys, String of, HttpServerRequest to) {
    if (isRevealed && !keys.isEmpty()) {
      audit.revealed(keys, of, to);
    }
  }
}
