package io.weir.grpc;

import io.grpc.ForwardingServerCall.SimpleForwardingServerCall;
import io.grpc.Metadata;
import io.grpc.ServerCall;
import io.grpc.Status;
import io.weir.rules.http.Header;
import java.util.List;

/** A call whose client is told of limits: with the first that it hears. */
final class ToldCall<Q, A> extends SimpleForwardingServerCall<Q, A> {
  private final List<Header> limits;
  private boolean isTold;

  ToldCall(ServerCall<Q, A> call, List<Header> limits) {
    super(call);
    this.limits = limits;
  }

  @Override
  public void sendHeaders(Metadata headers) {
    isTold = true;
    Refusal.tell(limits, headers);
    super.sendHeaders(headers);
  }

  @Override
  public void close(Status status, Metadata trailers) {
    if (!isTold) {
      isTold = true;
      Refusal.tell(limits, trailers);
    }
    super.close(status, trailers);
  }
}
