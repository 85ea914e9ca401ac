package io.weir.grpc;

import io.grpc.Metadata;
import io.grpc.Status;
import io.weir.Origin;
import io.weir.embedded.FilterAction;
import io.weir.rules.RequestDecision;
import io.weir.rules.RuleDecision;
import io.weir.rules.http.Header;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;

/**
 * The status and trailers that end a refused call.
 *
 * @param trailers the retry delay, for gRPC's own retries and for clients that read details, and
 *     the rate limit headers
 */
record Refusal(Status status, Metadata trailers) {
  private static final Metadata.Key<byte[]> DETAILS =
      Metadata.Key.of("grpc-status-details-bin", Metadata.BINARY_BYTE_MARSHALLER);
  private static final Metadata.Key<String> PUSHBACK =
      Metadata.Key.of("grpc-retry-pushback-ms", Metadata.ASCII_STRING_MARSHALLER);
  private static final Map<String, Metadata.Key<String>> KEYS = new ConcurrentHashMap<>();
  private static final String PREFIX = "x-ratelimit-";
  private static final Metadata.Key<String> REMAINING = key(PREFIX + "remaining");
  private static final String NEVER = "-1";
  private static final Duration SOON = Duration.ofSeconds(1);

  /** Too many calls are delayed. */
  static Refusal busy() {
    return of(Status.UNAVAILABLE, "too many calls wait for their turn", Optional.of(SOON));
  }

  /** For a step that does not pass. */
  static Refusal of(FilterAction filterAction) {
    if (filterAction instanceof FilterAction.Refused refused) {
      return of(refused);
    }
    String reason =
        filterAction instanceof FilterAction.Malformed malformed ? malformed.reason() : "";
    return new Refusal(Status.INVALID_ARGUMENT.withDescription(reason), new Metadata());
  }

  private static Refusal of(FilterAction.Refused refused) {
    RequestDecision requestDecision = refused.requestDecision();
    RuleDecision deciding = requestDecision.deciding().orElseThrow();
    String rule = deciding.rule().name();
    Refusal refusal =
        deciding.decision().origin() == Origin.FAILURE
            ? of(
                requestDecision.isError() ? Status.UNAVAILABLE : Status.RESOURCE_EXHAUSTED,
                "the limit of rule '" + rule + "' cannot be checked now",
                Optional.of(SOON))
            : of(
                Status.RESOURCE_EXHAUSTED,
                description(rule, requestDecision.retryAfter()),
                requestDecision.retryAfter());
    addHeaders(refused.directResponse().headers(), refusal.trailers);
    return refusal;
  }

  private static String description(String rule, Optional<Duration> wait) {
    return wait.map(
            until ->
                "the limit of rule '%s' is exceeded; retry after %d ms"
                    .formatted(rule, millis(until)))
        .orElse("the call costs more than the limit of rule '" + rule + "' can ever give");
  }

  private static Refusal of(Status status, String message, Optional<Duration> wait) {
    Metadata trailers = new Metadata();
    trailers.put(PUSHBACK, wait.map(until -> Long.toString(millis(until))).orElse(NEVER));
    wait.ifPresent(
        until -> trailers.put(DETAILS, StatusDetails.of(status.getCode().value(), message, until)));
    return new Refusal(status.withDescription(message), trailers);
  }

  /** Rounded up, so that no client retries too early. */
  private static long millis(Duration wait) {
    return wait.plusNanos(999_999).toMillis();
  }

  private static Metadata.Key<String> key(String name) {
    return Metadata.Key.of(name, Metadata.ASCII_STRING_MARSHALLER);
  }

  /**
   * Adds rate limit headers, but none that describe a body. If headers are present already, lists
   * are joined. Of single-valued headers, those of the limit with less remaining stay.
   */
  static void addHeaders(List<Header> headers, Metadata to) {
    boolean isStricter = remaining(headers) < remaining(to);
    for (Header header : headers) {
      String name = header.name().toLowerCase(Locale.ROOT);
      boolean isSingle = name.startsWith(PREFIX);
      if (isSingle ? isStricter : name.contains("ratelimit") || name.equals("retry-after")) {
        Metadata.Key<String> key = KEYS.computeIfAbsent(name, Refusal::key);
        String before = isSingle ? null : to.get(key);
        to.discardAll(key);
        to.put(key, before == null ? header.value() : header.value() + ", " + before);
      }
    }
  }

  private static long remaining(List<Header> limits) {
    for (Header header : limits) {
      if (header.name().equalsIgnoreCase(REMAINING.name())) {
        return Long.parseLong(header.value());
      }
    }
    return Long.MAX_VALUE;
  }

  /** Lenient, since another component wrote the value. */
  private static long remaining(Metadata metadata) {
    try {
      String value = metadata.get(REMAINING);
      return value == null ? Long.MAX_VALUE : Long.parseLong(value);
    } catch (NumberFormatException e) {
      return Long.MAX_VALUE;
    }
  }
}
