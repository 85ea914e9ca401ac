package io.weir.spring;

import io.weir.Decision;
import io.weir.Origin;
import io.weir.Standing;
import io.weir.arbiter.Arbiter;
import io.weir.arbiter.Veil;
import io.weir.node.Node;
import io.weir.rules.Bucket;
import io.weir.rules.Meter;
import io.weir.rules.Request;
import io.weir.rules.Rule;
import io.weir.seeing.Holding;
import io.weir.seeing.Key;
import io.weir.seeing.Kind;
import io.weir.seeing.Ranked;
import io.weir.seeing.Window;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** The top refused callers of a rule, and the state of one caller. */
final class CallerView {
  private static final int MOST = 20;
  private static final int LONGEST_SECONDS = 5;
  private static final Pattern ID = Pattern.compile("[0-9a-f]{16}");

  private final Node node;
  private final boolean isRevealed;

  CallerView(Node node, boolean isRevealed) {
    this.node = node;
    this.isRevealed = isRevealed;
  }

  /** The refused callers of the last hour; null if there is no such rule. */
  @Nullable Map<String, Object> top(String label) {
    if (rule(label) == null) {
      return null;
    }
    Map<String, Object> told = new LinkedHashMap<>();
    told.put("rule", label);
    for (Kind kind : Kind.values()) {
      List<Ranked> ranked =
          await(
              node.watch()
                  .watchman()
                  .ask(() -> node.watch().callers().top(kind, Window.HOUR, label, MOST)));
      told.put(kind.toString(), ranked.stream().map(this::caller).toList());
    }
    return told;
  }

  private Map<String, Object> caller(Ranked ranked) {
    Map<String, Object> told = new LinkedHashMap<>();
    told.put("id", ranked.key().id());
    told.put("key", shown(ranked.key()));
    told.put("count", ranked.count());
    told.put("last", Instant.ofEpochMilli(ranked.last()).toString());
    return told;
  }

  private String shown(Key key) {
    return isRevealed ? key.revealed() : key.masked();
  }

  /**
   * A caller's buckets for one rule.
   *
   * @param buckets all of them
   * @param holding those that apply to the caller
   * @param shown the key in the form that may be shown
   */
  record Caller(Rule rule, List<Bucket> buckets, List<Bucket> holding, String shown) {}

  /** The caller of a rule by an id or a key; null if there is no such rule or id. */
  @Nullable Caller find(String label, String who) {
    Rule rule = rule(label);
    if (rule == null) {
      return null;
    }
    Arbiter arbiter = node.arbiter();
    if (ID.matcher(who).matches()) {
      Optional<Key> known =
          await(node.watch().watchman().ask(() -> node.watch().callers().find(label, who)));
      return known
          .filter(Key::isWhole)
          .map(key -> caller(rule, label, arbiter.buckets(rule, key.kept()), key, shown(key)))
          .orElse(null);
    }
    List<String> per = rule.per();
    Request one = name -> name.equals(per.get(0)) ? who : null;
    List<Bucket> buckets =
        per.size() == 1 ? arbiter.buckets(rule, one) : arbiter.buckets(rule, who);
    String text = buckets.isEmpty() ? who : buckets.get(0).key();
    return caller(rule, label, buckets, node.watch().callers().named(rule, label, text), who);
  }

  private Caller caller(Rule rule, String label, List<Bucket> buckets, Key key, String shown) {
    List<String> seen =
        await(node.watch().watchman().ask(() -> node.watch().callers().limitsOf(label, key)));
    Optional<Meter> known =
        key.isWhole() ? node.arbiter().applying(rule, key.kept()) : Optional.empty();
    return new Caller(rule, buckets, Holding.of(rule, known, seen, buckets).buckets(), shown);
  }

  private @Nullable Rule rule(String label) {
    List<Rule> found = node.arbiter().tally().labelled(label, node.arbiter()::rules);
    return found.isEmpty() ? null : found.get(0);
  }

  /** The limits that the next call of a caller would see. */
  Map<String, Object> state(Caller caller) {
    List<Map<String, Object>> buckets = new ArrayList<>();
    for (Bucket bucket : caller.holding()) {
      buckets.add(state(bucket, await(bucket.peek())));
    }
    Map<String, Object> told = new LinkedHashMap<>();
    told.put("rule", caller.rule().name());
    told.put("key", caller.shown());
    told.put("buckets", buckets);
    return told;
  }

  private Map<String, Object> state(Bucket bucket, Decision decision) {
    Map<String, Object> told = new LinkedHashMap<>();
    bucket.meter().variant().ifPresent(each -> told.put("override", name(bucket.meter())));
    if (decision.origin() == Origin.FAILURE) {
      told.put("state", "the store is not available now");
      return told;
    }
    told.put("allowed", decision.allowed());
    told.put("remaining", decision.remaining());
    decision.retryAfter().ifPresent(after -> told.put("retry_after_ms", millis(after)));
    List<Map<String, Object>> limits = new ArrayList<>();
    for (Standing standing : decision.standings()) {
      limits.add(
          Map.of(
              "limit", standing.limit().toString(),
              "remaining", standing.remaining(),
              "reset_after_ms", millis(standing.resetAfter())));
    }
    told.put("limits", limits);
    return told;
  }

  /** The name of an override, without credentials. */
  private String name(Meter meter) {
    return node.arbiter().rules().domains().stream()
        .filter(domain -> domain.name().equals(meter.rule().domain()))
        .findFirst()
        .map(domain -> Veil.over(domain).names(meter.rule()).get(meter.override() - 1))
        .orElse("?");
  }

  private static long millis(Duration duration) {
    return duration.plusNanos(999_999).toMillis();
  }

  /** Resets a caller to full. */
  void reset(Caller caller) {
    for (Bucket bucket : caller.buckets()) {
      await(bucket.reset().thenApply(any -> true));
    }
  }

  private static <T> T await(CompletionStage<T> stage) {
    CompletableFuture<T> future = stage.toCompletableFuture();
    try {
      return future.get(LONGEST_SECONDS, TimeUnit.SECONDS);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new CompletionException(e);
    } catch (ExecutionException | TimeoutException e) {
      throw new IllegalStateException("the state is not available now", e);
    }
  }
}
