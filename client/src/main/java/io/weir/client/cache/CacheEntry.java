package io.weir.client.cache;

import io.weir.client.quota.HttpDates;
import java.net.http.HttpHeaders;
import java.net.http.HttpRequest;
import java.time.Duration;
import java.time.Instant;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import java.util.TreeMap;

/**
 * A cached response and its lifetime (RFC 9111, section 4.2). There is no heuristic lifetime: a
 * response with neither an explicit lifetime nor a validator is not stored.
 *
 * @param varying the request headers that the response depends on, with their values
 * @param sent when the request was sent
 * @param received when the response arrived
 */
record CacheEntry(
    BufferedResponse bufferedResponse,
    Map<String, List<String>> varying,
    Instant sent,
    Instant received) {
  private static final Set<Integer> KEPT =
      Set.of(200, 203, 204, 300, 301, 308, 404, 405, 410, 414, 501);

  /** Headers that describe a body, which a 304 does not have. */
  private static final Set<String> OF_BODIES =
      Set.of("content-length", "content-encoding", "content-range", "transfer-encoding");

  /** An entry, if the response may be stored and storing is useful. */
  static Optional<CacheEntry> of(
      HttpRequest request, BufferedResponse bufferedResponse, Instant sent, Instant received) {
    HttpHeaders headers = bufferedResponse.headers();
    CacheControl cacheControl = CacheControl.of(headers);
    boolean isForbidden =
        cacheControl.has("no-store")
            || CacheControl.of(request.headers()).has("no-store")
            || !KEPT.contains(bufferedResponse.statusCode())
            || headers.allValues("Vary").stream().anyMatch(value -> value.contains("*"));
    if (isForbidden) {
      return Optional.empty();
    }
    Map<String, List<String>> varying = new HashMap<>();
    for (String line : headers.allValues("Vary")) {
      for (String name : line.split(",", 64)) {
        String header = name.strip().toLowerCase(Locale.ROOT);
        varying.put(header, request.headers().allValues(header));
      }
    }
    CacheEntry cacheEntry = new CacheEntry(bufferedResponse, varying, sent, received);
    return cacheEntry.isValidatable() || !cacheEntry.lifetime().isZero()
        ? Optional.of(cacheEntry)
        : Optional.empty();
  }

  /** The approximate memory use in bytes. */
  long size() {
    return bufferedResponse.size() + BufferedResponse.size(varying);
  }

  boolean matches(HttpRequest request) {
    return varying.entrySet().stream()
        .allMatch(each -> request.headers().allValues(each.getKey()).equals(each.getValue()));
  }

  /** Whether it may be used without validation. */
  boolean isFresh(HttpRequest request, Instant now) {
    CacheControl wanted = CacheControl.of(request.headers());
    if (wanted.has("no-cache")
        || CacheControl.of(bufferedResponse.headers()).has("no-cache")
        || request.headers().firstValue("Pragma").filter("no-cache"::equals).isPresent()) {
      return false;
    }
    Duration age = age(now);
    OptionalLong oldest = wanted.seconds("max-age");
    if (oldest.isPresent() && age.compareTo(Duration.ofSeconds(oldest.getAsLong())) > 0) {
      return false;
    }
    Duration left = lifetime().minus(age);
    return left.compareTo(Duration.ofSeconds(wanted.seconds("min-fresh").orElse(0))) > 0;
  }

  private Duration lifetime() {
    OptionalLong maxAge = CacheControl.of(bufferedResponse.headers()).seconds("max-age");
    if (maxAge.isPresent()) {
      return Duration.ofSeconds(maxAge.getAsLong());
    }
    Optional<Instant> until = date("Expires");
    if (until.isEmpty()) { // an invalid date, such as 0, means already expired
      return Duration.ZERO;
    }
    Duration span = Duration.between(date("Date").orElse(received), until.get());
    return span.isNegative() ? Duration.ZERO : span;
  }

  private Duration age(Instant now) {
    long ageHeader =
        bufferedResponse
            .headers()
            .firstValue("Age")
            .map(CacheEntry::number)
            .orElse(OptionalLong.empty())
            .orElse(0);
    Duration delay = Duration.between(sent, received);
    Duration corrected = Duration.ofSeconds(ageHeader).plus(delay);
    Duration apparent = Duration.between(date("Date").orElse(received), received);
    Duration initial = corrected.compareTo(apparent) > 0 ? corrected : apparent;
    return initial.plus(Duration.between(received, now));
  }

  private static OptionalLong number(String text) {
    boolean isNumber =
        text.length() < 10 && !text.isEmpty() && text.chars().allMatch(Character::isDigit);
    return isNumber ? OptionalLong.of(Long.parseLong(text)) : OptionalLong.empty();
  }

  private Optional<Instant> date(String name) {
    return bufferedResponse.headers().firstValue(name).flatMap(HttpDates::read);
  }

  /** Whether it has a validator. */
  boolean isValidatable() {
    return bufferedResponse.headers().firstValue("ETag").isPresent()
        || bufferedResponse.headers().firstValue("Last-Modified").isPresent();
  }

  /** The conditional request that validates this entry. */
  HttpRequest validating(HttpRequest request) {
    HttpRequest.Builder builder = HttpRequest.newBuilder(request, (name, value) -> true);
    bufferedResponse
        .headers()
        .firstValue("ETag")
        .ifPresent(tag -> builder.setHeader("If-None-Match", tag));
    bufferedResponse
        .headers()
        .firstValue("Last-Modified")
        .ifPresent(date -> builder.setHeader("If-Modified-Since", date));
    return builder.build();
  }

  /** This entry after a 304, with the headers of that response. */
  CacheEntry validated(HttpHeaders headers, Instant sentAgain, Instant receivedAgain) {
    Map<String, List<String>> changed = new TreeMap<>(String.CASE_INSENSITIVE_ORDER);
    headers
        .map()
        .forEach(
            (name, values) -> {
              if (!OF_BODIES.contains(name.toLowerCase(Locale.ROOT))) {
                changed.put(name, values);
              }
            });
    changed.putIfAbsent("Age", List.of("0"));
    return new CacheEntry(bufferedResponse.withHeaders(changed), varying, sentAgain, receivedAgain);
  }

  /** The response to deliver now, with its age. */
  BufferedResponse given(Instant now) {
    long seconds = Math.max(0, age(now).toSeconds());
    return bufferedResponse.withHeaders(Map.of("Age", List.of(Long.toString(seconds))));
  }
}
