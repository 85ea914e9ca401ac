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
 * @param asked when the request was sent
 * @param received when the response arrived
 */
record Entry(Answer answer, Map<String, List<String>> varying, Instant asked, Instant received) {
  private static final Set<Integer> KEPT =
      Set.of(200, 203, 204, 300, 301, 308, 404, 405, 410, 414, 501);

  /** Headers that describe a body, which a 304 does not have. */
  private static final Set<String> OF_BODIES =
      Set.of("content-length", "content-encoding", "content-range", "transfer-encoding");

  /** An entry, if the response may be stored and storing is useful. */
  static Optional<Entry> of(HttpRequest request, Answer answer, Instant asked, Instant received) {
    HttpHeaders headers = answer.headers();
    Directives said = Directives.of(headers);
    boolean isForbidden =
        said.has("no-store")
            || Directives.of(request.headers()).has("no-store")
            || !KEPT.contains(answer.statusCode())
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
    Entry entry = new Entry(answer, varying, asked, received);
    return entry.isValidatable() || !entry.lifetime().isZero()
        ? Optional.of(entry)
        : Optional.empty();
  }

  /** The approximate memory use in bytes. */
  long size() {
    return answer.size() + Answer.size(varying);
  }

  boolean matches(HttpRequest request) {
    return varying.entrySet().stream()
        .allMatch(each -> request.headers().allValues(each.getKey()).equals(each.getValue()));
  }

  /** Whether it may be used without validation. */
  boolean isFresh(HttpRequest request, Instant now) {
    Directives wanted = Directives.of(request.headers());
    if (wanted.has("no-cache")
        || Directives.of(answer.headers()).has("no-cache")
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
    OptionalLong said = Directives.of(answer.headers()).seconds("max-age");
    if (said.isPresent()) {
      return Duration.ofSeconds(said.getAsLong());
    }
    Optional<Instant> until = date("Expires");
    if (until.isEmpty()) { // an invalid date, such as 0, means already expired
      return Duration.ZERO;
    }
    Duration span = Duration.between(date("Date").orElse(received), until.get());
    return span.isNegative() ? Duration.ZERO : span;
  }

  private Duration age(Instant now) {
    long told =
        answer
            .headers()
            .firstValue("Age")
            .map(Entry::number)
            .orElse(OptionalLong.empty())
            .orElse(0);
    Duration delay = Duration.between(asked, received);
    Duration corrected = Duration.ofSeconds(told).plus(delay);
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
    return answer.headers().firstValue(name).flatMap(HttpDates::read);
  }

  /** Whether it has a validator. */
  boolean isValidatable() {
    return answer.headers().firstValue("ETag").isPresent()
        || answer.headers().firstValue("Last-Modified").isPresent();
  }

  /** The conditional request that validates this entry. */
  HttpRequest validating(HttpRequest request) {
    HttpRequest.Builder builder = HttpRequest.newBuilder(request, (name, value) -> true);
    answer.headers().firstValue("ETag").ifPresent(tag -> builder.setHeader("If-None-Match", tag));
    answer
        .headers()
        .firstValue("Last-Modified")
        .ifPresent(date -> builder.setHeader("If-Modified-Since", date));
    return builder.build();
  }

  /** This entry after a 304, with the headers of that response. */
  Entry validated(HttpHeaders told, Instant askedAgain, Instant receivedAgain) {
    Map<String, List<String>> changed = new TreeMap<>(String.CASE_INSENSITIVE_ORDER);
    told.map()
        .forEach(
            (name, values) -> {
              if (!OF_BODIES.contains(name.toLowerCase(Locale.ROOT))) {
                changed.put(name, values);
              }
            });
    changed.putIfAbsent("Age", List.of("0"));
    return new Entry(answer.withHeaders(changed), varying, askedAgain, receivedAgain);
  }

  /** The response to deliver now, with its age. */
  Answer given(Instant now) {
    long seconds = Math.max(0, age(now).toSeconds());
    return answer.withHeaders(Map.of("Age", List.of(Long.toString(seconds))));
  }
}
