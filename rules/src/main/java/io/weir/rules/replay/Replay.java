package io.weir.rules.replay;

import io.weir.rules.RuleSet;
import io.weir.rules.Ruling;
import java.io.IOException;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * Sends a trace through rules in virtual time, as fast as possible. Not thread-safe.
 *
 * <pre>{@code
 * try (Trace trace = Trace.open(file)) {
 *   Summary summary = Replay.by(rules).run(trace);
 * }
 * }</pre>
 *
 * <p>Requests may come in any order of time. The times of one key do not affect the buckets of
 * other keys. Times that go back within one key never allow more than ordered ones.
 */
public final class Replay {
  private final RuleSet rules;
  private @Nullable RuleSet other;
  private DecisionLine.@Nullable Sink decisions;
  private Progress.@Nullable Listener listener;

  private long judged;

  private Replay(RuleSet rules) {
    this.rules = Objects.requireNonNull(rules, "rules");
  }

  /** A replay with {@code rules}. */
  public static Replay by(RuleSet rules) {
    return new Replay(rules);
  }

  /** Also checks each request with {@code other} rules, and reports the differences. */
  public Replay comparedWith(RuleSet other) {
    this.other = Objects.requireNonNull(other, "other");
    return this;
  }

  /** Passes each decision by the first rules to {@code sink}, in the order of the trace. */
  public Replay decisionsTo(DecisionLine.Sink sink) {
    this.decisions = Objects.requireNonNull(sink, "sink");
    return this;
  }

  /** Passes the progress to {@code listener} from time to time. */
  public Replay progressTo(Progress.Listener listener) {
    this.listener = Objects.requireNonNull(listener, "listener");
    return this;
  }

  /**
   * Replays the rest of {@code trace}.
   *
   * @throws IOException if the sink throws it
   */
  public Summary run(Trace trace) throws IOException {
    Judge judge = new Judge(rules);
    Judge second = other == null ? null : new Judge(other);
    Clerk clerk = new Clerk(rules, other);
    new Stages(trace, block -> decide(block, judge, second, trace), clerk).run();
    return clerk.summary(trace, judge.badRequests(), second == null ? null : second.badRequests());
  }

  private Clerk.Decided decide(Block block, Judge judge, @Nullable Judge second, Trace trace)
      throws IOException {
    @Nullable Ruling[] rulings = new Ruling[block.rows()];
    @Nullable Ruling[] others = new Ruling[second == null ? 0 : block.rows()];
    for (int i = 0; i < block.rows(); i++) {
      Row request = block.row(i);
      Ruling ruling = judge.judge(request);
      rulings[i] = ruling;
      if (decisions != null) {
        decisions.accept(new DecisionLine(request, ruling));
      }
      if (second != null) {
        others[i] = second.judge(request);
      }
    }
    judged += block.rows();
    if (listener != null) {
      listener.at(new Progress(judged, block.bytesRead(), trace.size()));
    }
    return new Clerk.Decided(block, rulings, others);
  }
}
