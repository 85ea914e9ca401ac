package io.weir.server.admin;

import io.vertx.core.http.HttpServerRequest;
import io.weir.insight.CallerKey;
import io.weir.server.http.HttpResponses;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Whether keys are shown in full: only on request, and the request is logged. Authenticated
 * requests only: by token or, if none is configured, from this machine.
 */
final class KeyReveal {
  static final String PARAMETER = "reveal";

  private final AuditLog audit;

  KeyReveal(AuditLog audit) {
    this.audit = audit;
  }

  /**
   * Whether the request asks for full keys. Null if it may not have them; the refusal is then
   * already sent.
   */
  @Nullable Boolean isRequested(HttpServerRequest request, @Nullable String parameter) {
    String value = parameter == null ? "false" : parameter;
    if (!List.of("true", "false").contains(value)) {
      HttpResponses.send(
          request, HttpResponses.malformed(request, "'" + PARAMETER + "' must be true or false"));
      return null;
    }
    return value.equals("true");
  }

  /** A key in full or masked. */
  static String shown(CallerKey callerKey, boolean isRevealed) {
    return isRevealed ? callerKey.revealed() : callerKey.masked();
  }

  /** Logs that keys are shown in full. */
  void note(boolean isRevealed, List<CallerKey> callerKeys, String of, HttpServerRequest to) {
    if (isRevealed && !callerKeys.isEmpty()) {
      audit.revealed(callerKeys, of, to);
    }
  }
}
