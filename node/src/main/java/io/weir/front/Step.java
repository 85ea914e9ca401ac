package io.weir.front;

import io.weir.rules.Held;
import io.weir.rules.Ruling;
import io.weir.rules.http.Answer;
import io.weir.rules.http.Header;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** What to do with a request after the check. */
public sealed interface Step {
  /** The response that replaces further processing; null: the request goes on. */
  @Nullable Answer answer();

  /**
   * The request goes on.
   *
   * @param limits the rate limit headers of its response
   * @param turn its place in a queue if it must be delayed; else null
   * @param ruling the decisions so far
   */
  record Pass(List<Header> limits, @Nullable Held turn, Ruling ruling) implements Step {
    /** No limits are known for it. */
    static final Pass UNLIMITED = new Pass(List.of(), null, Ruling.of(List.of(), List.of()));

    @Override
    public @Nullable Answer answer() {
      return null;
    }
  }

  /** The rules refuse it. */
  record Refused(Answer answer, Ruling ruling) implements Step {}

  /** The request is ambiguous, so rules cannot be applied to it. */
  record Malformed(Answer answer, String reason) implements Step {}
}
