package io.weir.embedded;

import io.weir.rules.HeldCharge;
import io.weir.rules.RequestDecision;
import io.weir.rules.http.DirectResponse;
import io.weir.rules.http.Header;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** What to do with a request after the check. */
public sealed interface FilterAction {
  /** The response that replaces further processing; null: the request goes on. */
  @Nullable DirectResponse directResponse();

  /**
   * The request goes on.
   *
   * @param limits the rate limit headers of its response
   * @param turn its place in a queue if it must be delayed; else null
   * @param requestDecision the decisions so far
   */
  record Pass(List<Header> limits, @Nullable HeldCharge turn, RequestDecision requestDecision)
      implements FilterAction {
    /** No limits are known for it. */
    static final Pass UNLIMITED =
        new Pass(List.of(), null, RequestDecision.of(List.of(), List.of()));

    @Override
    public @Nullable DirectResponse directResponse() {
      return null;
    }
  }

  /** The rules refuse it. */
  record Refused(DirectResponse directResponse, RequestDecision requestDecision)
      implements FilterAction {}

  /** The request is ambiguous, so rules cannot be applied to it. */
  record Malformed(DirectResponse directResponse, String reason) implements FilterAction {}
}
