package io.weir.server.grpc;

/** Ends a call with a status. It is an answer, not an accident, so it carries no stack trace. */
public final class GrpcException extends RuntimeException {
  private static final long serialVersionUID = 1;

  private final GrpcStatus status;

  /** Ends a call; {@code message} is for the caller. */
  public GrpcException(GrpcStatus status, String message) {
    super(message, null, false, false);
    this.status = status;
  }

  /** A message that is no protocol buffer, or not the one that was expected. */
  static GrpcException malformed(String what) {
    return new GrpcException(GrpcStatus.INVALID_ARGUMENT, "malformed message: " + what);
  }

  /** How the call ends. */
  public GrpcStatus status() {
    return status;
  }
}
