package io.weir.grpc;

import io.grpc.Attributes;
import io.grpc.ForwardingServerCall.SimpleForwardingServerCall;
import io.grpc.Metadata;
import io.grpc.ServerCall;
import io.grpc.Status;
import io.weir.rules.http.Header;
import io.weir.runtime.Node;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A checked call: it records which node checked it, and sends the rate limit headers with the first
 * response to the client.
 */
final class LimitHeadersServerCall<Q, A> extends SimpleForwardingServerCall<Q, A> {
  private static final Attributes.Key<CheckedBy> CHECKED_BY =
      Attributes.Key.create("io.weir.grpc.judged");

  private final Node by;
  private final List<Header> limits;
  private boolean isSent;

  LimitHeadersServerCall(ServerCall<Q, A> call, Node by, List<Header> limits) {
    super(call);
    this.by = by;
    this.limits = limits;
  }

  /** Whether a call was checked by the rules of {@code node}. */
  @SuppressWarnings("ReferenceEquality") // identity is meant
  static boolean isChecked(ServerCall<?, ?> call, Node node) {
    for (CheckedBy each = call.getAttributes().get(CHECKED_BY); each != null; each = each.before) {
      if (each.by == node) {
        return true;
      }
    }
    return false;
  }

  @Override
  public Attributes getAttributes() {
    Attributes sent = super.getAttributes();
    return sent.toBuilder().set(CHECKED_BY, new CheckedBy(by, sent.get(CHECKED_BY))).build();
  }

  @Override
  public void sendHeaders(Metadata headers) {
    super.sendHeaders(withLimits(headers));
  }

  @Override
  public void close(Status status, Metadata trailers) {
    super.close(status, withLimits(trailers));
  }

  /** Adds to a copy: the application may reuse its metadata for other calls. */
  private Metadata withLimits(Metadata metadata) {
    if (isSent || limits.isEmpty()) {
      return metadata;
    }
    isSent = true;
    Metadata all = new Metadata();
    all.merge(metadata);
    Refusal.addHeaders(limits, all);
    return all;
  }

  private record CheckedBy(Node by, @Nullable CheckedBy before) {}
}
