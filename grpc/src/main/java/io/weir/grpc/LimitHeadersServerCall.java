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
  private static final Attributes.Key<DecidedBy> JUDGED =
      Attributes.Key.create("io.weir.grpc.judged");

  private final Node by;
  private final List<Header> limits;
  private boolean isTold;

  LimitHeadersServerCall(ServerCall<Q, A> call, Node by, List<Header> limits) {
    super(call);
    this.by = by;
    this.limits = limits;
  }

  /** Whether a call was checked by the rules of {@code node}. */
  @SuppressWarnings("ReferenceEquality") // identity is meant
  static boolean isJudged(ServerCall<?, ?> call, Node node) {
    for (DecidedBy each = call.getAttributes().get(JUDGED); each != null; each = each.before) {
      if (each.by == node) {
        return true;
      }
    }
    return false;
  }

  @Override
  public Attributes getAttributes() {
    Attributes sent = super.getAttributes();
    return sent.toBuilder().set(JUDGED, new DecidedBy(by, sent.get(JUDGED))).build();
  }

  @Override
  public void sendHeaders(Metadata headers) {
    super.sendHeaders(told(headers));
  }

  @Override
  public void close(Status status, Metadata trailers) {
    super.close(status, told(trailers));
  }

  /** Adds to a copy: the application may reuse its metadata for other calls. */
  private Metadata told(Metadata said) {
    if (isTold || limits.isEmpty()) {
      return said;
    }
    isTold = true;
    Metadata all = new Metadata();
    all.merge(said);
    Refusal.tell(limits, all);
    return all;
  }

  private record DecidedBy(Node by, @Nullable DecidedBy before) {}
}
