package io.weir.server.access;

import io.vertx.core.http.HttpVersion;
import io.weir.arbiter.RequestOutcome;
import io.weir.rules.DescriptorRuling;
import io.weir.rules.Ruling;
import io.weir.rules.Verdict;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * What becomes a line of the access log. Filled on the event loop of its request, then read by the
 * thread that writes; texts that clients choose are cut, so that a full queue has a known size.
 */
public final class AccessEntry {
  /** The status of a request whose client left before there was one, as nginx has it. */
  static final int CLIENT_LEFT = 499;

  private static final int LONGEST_TARGET = 2048;
  private static final int LONGEST_TEXT = 512;

  /** About what an entry takes beside its texts. */
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
    this.method = cut(method, LONGEST_TEXT);
    this.target = cut(target, LONGEST_TARGET);
    this.version = version;
    this.host = host == null ? null : cut(host, LONGEST_TEXT);
    this.referer = referer == null ? null : cut(referer, LONGEST_TEXT);
    this.agent = agent == null ? null : cut(agent, LONGEST_TEXT);
  }

  private static String cut(String text, int most) {
    return text.length() <= most ? text : text.substring(0, most);
  }

  /** The client, where a trusted proxy has named it; null: as before. */
  public void client(@Nullable Object address) {
    if (address != null) {
      client = address.toString();
    }
  }

  /** What was decided of it, and by which rule. */
  public void decided(Ruling ruling) {
    decided(RequestOutcome.of(ruling), ruling.deciding());
  }

  /** What was decided of its descriptors, and by which rule. */
  public void decided(DescriptorRuling ruling) {
    decided(RequestOutcome.of(ruling), RequestOutcome.deciding(ruling));
  }

  private void decided(RequestOutcome decided, Optional<Verdict> deciding) {
    outcome = decided.toString();
    rule = deciding.map(verdict -> verdict.rule().name()).orElse(null);
  }

  /** The server that is asked. */
  public void upstream(String label) {
    upstream = label;
  }

  /** It has become a connection in both directions: its line is written when that ends. */
  public void tunnel() {
    isTunnel = true;
  }

  boolean isTunnel() {
    return isTunnel;
  }

  /** Whether this is its first end. */
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

  /** What it takes of the heap, about. */
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
