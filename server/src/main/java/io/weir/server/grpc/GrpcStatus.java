package io.weir.server.grpc;

/** The status of a finished call. */
public enum GrpcStatus {
  OK(0),
  UNKNOWN(2),
  INVALID_ARGUMENT(3),
  DEADLINE_EXCEEDED(4),
  NOT_FOUND(5),
  PERMISSION_DENIED(7),
  RESOURCE_EXHAUSTED(8),
  UNIMPLEMENTED(12),
  INTERNAL(13),
  UNAVAILABLE(14),
  UNAUTHENTICATED(16);

  private final int number;
  private final String code;

  GrpcStatus(int code) {
    this.number = code;
    this.code = Integer.toString(code);
  }

  /** The status as a number in a message. */
  public int number() {
    return number;
  }

  /** The status as text, as it is sent. */
  String code() {
    return code;
  }
}
