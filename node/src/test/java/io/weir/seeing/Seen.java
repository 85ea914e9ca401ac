package io.weir.seeing;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.weir.ManualTime;
import io.weir.TimeSource;
import io.weir.arbiter.Arbiter;
import io.weir.arbiter.Tally;
import io.weir.rules.RequestLimiter;
import io.weir.rules.RuleSet;
import io.weir.rules.file.RuleFiles;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.function.Supplier;

/** A watched decision path in virtual time; only the test runs the rounds. */
final class Seen {
  final ManualTime time = TimeSource.manual().set(Instant.parse("2026-11-16T12:00:00Z"));
  final Watch watch;
  final RequestLimiter limiter;
  final Arbiter arbiter;

  Seen(String yaml) {
    this(rules(yaml));
  }

  Seen(RuleSet rules) {
    this(rules, 7);
  }

  Seen(RuleSet rules, long secret) {
    this(rules, secret, true);
  }

  Seen(RuleSet rules, long secret, boolean isOfAll) {
    watch = new Watch(time, secret, isOfAll);
    limiter = RequestLimiter.builder(rules).time(time).build();
    arbiter = new Arbiter(limiter, new Tally(watch.witness()), time);
    watch.begin(arbiter);
  }

  static RuleSet rules(String yaml) {
    return RuleFiles.read("rules.yaml", yaml.getBytes(UTF_8)).rules().orElseThrow();
  }

  /** Asks as {@code user}, so often. */
  Seen ask(String user, int times) {
    for (int i = 0; i < times; i++) {
      arbiter.decide(Map.of("user", user)::get).toCompletableFuture().join();
    }
    return this;
  }

  /** Asks for a path once. */
  void ask(String user, String path) {
    arbiter.decide(Map.of("user", user, "path", path)::get).toCompletableFuture().join();
  }

  Seen pass(Duration duration) {
    watch.watchman().goRound();
    time.advance(duration);
    watch.watchman().goRound();
    return this;
  }

  /** The watchman's answer. */
  <T> T told(Supplier<T> question) {
    var answer = watch.watchman().ask(question).toCompletableFuture();
    watch.watchman().goRound();
    return answer.join();
  }

  List<Ranked> top(Kind kind, Window window) {
    return told(() -> watch.callers().top(kind, window, null, 1000));
  }
}
