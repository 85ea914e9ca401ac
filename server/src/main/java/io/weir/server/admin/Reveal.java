package io.weir.server.admin;

import io.vertx.core.http.HttpServerRequest;
import io.weir.seeing.Key;
import io.weir.server.http.Replies;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Whether keys are shown in full: if that is asked for, which is written down. Requests come this
 * far with the token alone or, where none is set, from this machine.
 */
final class Reveal {
  static final String PARAMETER = "reveal";

  private final AuditLog audit;

  Reveal(AuditLog audit) {
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
    return asked.equals("true");
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
