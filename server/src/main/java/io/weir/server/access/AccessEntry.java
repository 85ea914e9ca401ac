package io.weir.server.access;

import io.vertx.core.http.HttpVersion;
import io.weir.decision.RequestOutcome;
import io.weir.rules.RequestDecision;
import io.weir.rules.RuleDecision;
import io.weir.rules.envoy.DescriptorDecision;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * The data of one line of the access log. Filled on the event loop of its request, then read by the
 * writer thread. Texts chosen by clients are truncated, so that a full queue has a bounded size.
 */
public final class AccessEntry {
  /** The status of a request that the client aborted before the response began, as in nginx. */
  static final int CLIENT_LEFT = 499;

  private static final int MAX_TARGET_CHARS = 2048;
  private static final int MAX_TEXT_CHARS = 512;

  /** About how many bytes an entry takes in addition to its texts. */
  private static final long OBJECT_BYTES = 200;

  final String port;
  final long millis;
  final long startNanos;
  final String method;
  final String target;
  final HttpVersion version;
  final @Nullable String host;
  final @Nullable String referer;
  final @Nullable String agent;
  @Nullable String client;
  @Nullable String trace;
  @Nullable String rule;
  @Nullable String outcome;
  @Nullable String upstream;
  int status;
  long bytes;
  long nanos;
  private boolean isOver;
  private boolean isTunnel;

  AccessEntry(
      String port,
      long millis,
      long startNanos,
      String method,
      String target,
      HttpVersion version,
      @Nullable String host,
      @Nullable String referer,
      @Nullable String agent) {
    this.port = port;
    this.millis = millis;
    this.startNanos = startNanos;
    this.method = cut(method, MAX_TEXT_CHARS);
    this.target = cut(target, MAX_TARGET_CHARS);
    this.version = version;
    this.host = host == null ? null : cut(host, MAX_TEXT_CHARS);
    this.referer = referer == null ? null : cut(referer, MAX_TEXT_CHARS);
    this.agent = agent == null ? null : cut(agent, MAX_TEXT_CHARS);
  }

  private static String cut(String text, int max) {
    return text.length() <= max ? text : text.substring(0, max);
  }

  /** Sets the client as reported by a trusted proxy; null: unchanged. */
  public void client(@Nullable Object address) {
    if (address != null) {
      client = address.toString();
    }
  }

  /** Sets the outcome of the request and the rule that decided. */
  public void decided(RequestDecision requestDecision) {
    decided(RequestOutcome.of(requestDecision), requestDecision.deciding());
  }

  /** Sets the outcome of the descriptors of the request and the rule that decided. */
  public void decided(DescriptorDecision decision) {
    decided(RequestOutcome.of(decision), RequestOutcome.deciding(decision));
  }

  private void decided(RequestOutcome decided, Optional<RuleDecision> deciding) {
    outcome = decided.toString();
    rule = deciding.map(ruleDecision -> ruleDecision.rule().name()).orElse(null);
  }

  /** Sets the upstream that gets the request. */
  public void upstream(String label) {
    upstream = label;
  }

  /** Marks a tunnel: its line is written when the tunnel ends. */
  public void tunnel() {
    isTunnel = true;
  }

  boolean isTunnel() {
    return isTunnel;
  }

  /** Records the end of the request; returns whether this is its first end. */
  boolean end(int status, long bytes, long nowNanos) {
    if (isOver) {
      return false;
    }
    isOver = true;
    this.status = status;
    this.bytes = bytes;
    this.nanos = nowNanos - startNanos;
    return true;
  }

  /** About how many bytes of heap it takes. */
  long size() {
    return OBJECT_BYTES
        + method.length()
        + target.length()
        + length(host)
        + length(referer)
        + length(agent);
  }

  private static int length(@Nullable String text) {
    return text == null ? 0 : text.length();
  }
}
