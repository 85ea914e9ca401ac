package io.weir.front;

import io.weir.rules.Held;
import io.weir.rules.Ruling;
import io.weir.rules.http.Answer;
import io.weir.rules.http.Header;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** What is to be done with a request that was judged. */
public sealed interface Step {
  /** What it is answered instead of going on; null: it goes on. */
  @Nullable Answer answer();

  /**
   * It goes on.
   *
   * @param limits what its response tells of limits
   * @param turn its place in a queue, if it is to be held until its turn has come; else null
   * @param ruling what was said of it so far
   */
  record Pass(List<Header> limits, @Nullable Held turn, Ruling ruling) implements Step {
    /** Nothing is known of it. */
    static final Pass UNLIMITED = new Pass(List.of(), null, Ruling.of(List.of(), List.of()));

    @Override
    public @Nullable Answer answer() {
      return null;
    }
  }

  /** The rules refuse it. */
  record Refused(Answer answer, Ruling ruling) implements Step {}

  /** It could mean two things, so that rules cannot be applied to it. */
  record Malformed(Answer answer, String reason) implements Step {}
}
