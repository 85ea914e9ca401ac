package io.weir.rules.replay;

import io.weir.rules.RequestDecision;
import io.weir.rules.RuleSet;
import java.io.IOException;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * Sends a trace through rules in virtual time, as fast as possible. Not thread-safe.
 *
 * <pre>{@code
 * try (Trace trace = Trace.open(file)) {
 *   Summary summary = TraceReplay.by(rules).run(trace);
 * }
 * }</pre>
 *
 * <p>Requests may come in any order of time. The times of one key do not affect the buckets of
 * other keys. Times that go back within one key never allow more than ordered ones.
 */
public final class TraceReplay {
  private final RuleSet rules;
  private @Nullable RuleSet other;
  private DecisionLine.@Nullable Sink decisions;
  private Progress.@Nullable Listener listener;

  private long decided;

  private TraceReplay(RuleSet rules) {
    this.rules = Objects.requireNonNull(rules, "rules");
  }

  /** A replay with {@code rules}. */
  public static TraceReplay by(RuleSet rules) {
    return new TraceReplay(rules);
  }

  /** Also checks each request with {@code other} rules, and reports the differences. */
  public TraceReplay comparedWith(RuleSet other) {
    this.other = Objects.requireNonNull(other, "other");
    return this;
  }

  /** Passes each decision by the first rules to {@code sink}, in the order of the trace. */
  public TraceReplay decisionsTo(DecisionLine.Sink sink) {
    this.decisions = Objects.requireNonNull(sink, "sink");
    return this;
  }

  /** Passes the progress to {@code listener} from time to time. */
  public TraceReplay progressTo(Progress.Listener listener) {
    this.listener = Objects.requireNonNull(listener, "listener");
    return this;
  }

  /**
   * Replays the rest of {@code trace}.
   *
   * @throws IOException if the sink throws it
   */
  public Summary run(Trace trace) throws IOException {
    ReplayLimiter replayLimiter = new ReplayLimiter(rules);
    ReplayLimiter second = other == null ? null : new ReplayLimiter(other);
    BlockCounter blockCounter = new BlockCounter(rules, other);
    new ReplayPipeline(trace, block -> decide(block, replayLimiter, second, trace), blockCounter)
        .run();
    return blockCounter.summary(
        trace, replayLimiter.badRequests(), second == null ? null : second.badRequests());
  }

  private BlockCounter.Decided decide(
      Block block, ReplayLimiter replayLimiter, @Nullable ReplayLimiter second, Trace trace)
      throws IOException {
    @Nullable RequestDecision[] requestDecisions = new RequestDecision[block.rows()];
    @Nullable RequestDecision[] others = new RequestDecision[second == null ? 0 : block.rows()];
    for (int i = 0; i < block.rows(); i++) {
      Row request = block.row(i);
      RequestDecision requestDecision = replayLimiter.check(request);
      requestDecisions[i] = requestDecision;
      if (decisions != null) {
        decisions.accept(new DecisionLine(request, requestDecision));
      }
      if (second != null) {
        others[i] = second.check(request);
      }
    }
    decided += block.rows();
    if (listener != null) {
      listener.at(new Progress(decided, block.bytesRead(), trace.size()));
    }
    return new BlockCounter.Decided(block, requestDecisions, others);
  }
}
