package io.weir.client.quota;

import io.weir.client.quota.FieldItems.Item;
import java.net.http.HttpHeaders;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Everything that a response reports about limits. Immutable.
 *
 * <p>The headers {@code RateLimit} and {@code RateLimit-Policy} name each limit and take
 * precedence. They are read in the form of the IETF draft since its eighth version, or in the one
 * before, {@code limit=…, remaining=…, reset=…}. Otherwise the three headers {@code
 * RateLimit-Limit}, {@code -Remaining} and {@code -Reset} describe a single limit, or those with
 * the prefix {@code X-}. The reset may be in seconds from now or a point in time.
 *
 * @param all each limit once, in the order of the headers
 * @param retryAfter how long to wait; empty if not reported
 */
public record Quotas(List<Quota> all, Optional<Duration> retryAfter) {
  private static final List<String> SINGLE = List.of("RateLimit-", "X-RateLimit-", "X-Rate-Limit-");

  /** Copies the list. */
  public Quotas {
    all = List.copyOf(all);
  }

  /**
   * Reads headers that arrived at {@code now}. If the server sends its own time, points in time are
   * compared with that.
   */
  public static Quotas of(HttpHeaders headers, Instant now) {
    Instant there = HttpDates.read(first(headers, "Date")).orElse(now);
    List<Quota> named = named(headers);
    return new Quotas(named.isEmpty() ? single(headers, there) : named, wait(headers, there));
  }

  /**
   * The limit that refuses: among those with nothing left, the last to grow; otherwise the first.
   */
  public Optional<Quota> refusing() {
    Comparator<Quota> byWait =
        Comparator.comparing(quota -> quota.growsAfter().orElse(Duration.ZERO));
    return all.stream().filter(Quota::isEmpty).max(byWait).or(() -> all.stream().findFirst());
  }

  /** How long to wait after a refusal, as far as reported. */
  public Optional<Duration> refusedFor() {
    return retryAfter.or(() -> refusing().flatMap(Quota::growsAfter));
  }

  /** How long to wait after a failure: as reported, and while nothing is left. */
  public Optional<Duration> failedFor() {
    Optional<Duration> empty = refusing().filter(Quota::isEmpty).flatMap(Quota::growsAfter);
    return Stream.of(retryAfter, empty).flatMap(Optional::stream).max(Duration::compareTo);
  }

  private static Optional<Duration> wait(HttpHeaders headers, Instant there) {
    Optional<Duration> standard = HeaderValues.secondsOrDate(first(headers, "Retry-After"), there);
    return standard.isPresent()
        ? standard
        : HeaderValues.secondsOrDate(first(headers, "X-RateLimit-Retry-After"), there);
  }

  private static List<Quota> named(HttpHeaders headers) {
    List<Item> states = FieldItems.of(headers.allValues("RateLimit"));
    List<Item> policies = FieldItems.of(headers.allValues("RateLimit-Policy"));
    if (states.stream().anyMatch(item -> item.value() != null)) {
      return List.of(oldForm(states, policies));
    }
    Map<String, Item> byName = new HashMap<>();
    policies.forEach(policy -> byName.putIfAbsent(policy.name(), policy));
    Map<String, Quota> quotas = new LinkedHashMap<>();
    for (Item item : states) {
      OptionalLong remaining = HeaderValues.number(item.parameters().get("r"));
      if (remaining.isPresent()) {
        Item policy = byName.getOrDefault(item.name(), item);
        quotas.putIfAbsent(item.name(), quota(item, policy, remaining));
      }
    }
    return new ArrayList<>(quotas.values());
  }

  private static Quota quota(Item state, Item policy, OptionalLong remaining) {
    return new Quota(
        state.name(),
        HeaderValues.number(policy.parameters().get("q")),
        positive(HeaderValues.seconds(policy.parameters().get("w"))),
        remaining,
        positive(HeaderValues.seconds(state.parameters().get("t"))));
  }

  /** {@code limit=100, remaining=42, reset=7}, with a policy {@code 100;w=60} beside it. */
  private static Quota oldForm(List<Item> members, List<Item> policies) {
    Map<String, String> values = new HashMap<>();
    for (Item member : members) {
      if (member.value() != null) {
        values.putIfAbsent(member.name(), member.value());
      }
    }
    OptionalLong limit = HeaderValues.number(values.get("limit"));
    return new Quota(
        "",
        limit,
        window(policies, limit),
        HeaderValues.number(values.get("remaining")),
        positive(HeaderValues.seconds(values.get("reset"))));
  }

  private static List<Quota> single(HttpHeaders headers, Instant there) {
    for (String family : SINGLE) {
      OptionalLong remaining = HeaderValues.number(first(headers, family + "Remaining"));
      OptionalLong limit = HeaderValues.number(first(headers, family + "Limit"));
      if (remaining.isPresent()) {
        Optional<Duration> window =
            window(FieldItems.of(headers.allValues("RateLimit-Policy")), limit);
        Optional<Duration> reset = HeaderValues.reset(first(headers, family + "Reset"), there);
        return List.of(new Quota("", limit, window, remaining, positive(reset)));
      }
    }
    return List.of();
  }

  /** The window of the policy with this limit, if policies have no names but {@code 100;w=60}. */
  private static Optional<Duration> window(List<Item> policies, OptionalLong limit) {
    return policies.stream()
        .filter(policy -> limit.isPresent() && HeaderValues.number(policy.name()).equals(limit))
        .findFirst()
        .flatMap(policy -> positive(HeaderValues.seconds(policy.parameters().get("w"))));
  }

  private static Optional<Duration> positive(Optional<Duration> span) {
    return span.filter(each -> !each.isZero());
  }

  private static @Nullable String first(HttpHeaders headers, String name) {
    return headers.firstValue(name).orElse(null);
  }
}
