package io.weir.server.grpc;

/** Ends a call with a status. It is an expected response, so it has no stack trace. */
public final class GrpcException extends RuntimeException {
  private static final long serialVersionUID = 1;

  private final GrpcStatus status;

  /** Creates an exception; {@code message} is sent to the client. */
  public GrpcException(GrpcStatus status, String message) {
    super(message, null, false, false);
    this.status = status;
  }

  /** The message is not a protocol buffer, or not the expected one. */
  static GrpcException malformed(String what) {
    return new GrpcException(GrpcStatus.INVALID_ARGUMENT, "malformed message: " + what);
  }

  /** The status that ends the call. */
  public GrpcStatus status() {
    return status;
  }
}
