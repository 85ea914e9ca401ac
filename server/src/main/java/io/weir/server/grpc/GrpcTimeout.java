package io.weir.server.grpc;

import java.util.concurrent.TimeUnit;

/** The deadline of a call: {@code 100m} is a tenth of a second. */
final class GrpcTimeout {
  private static final int MAX_DIGITS = 8;

  private GrpcTimeout() {}

  /**
   * The nanoseconds in a {@code grpc-timeout} header.
   *
   * @throws GrpcException if the header is malformed
   */
  static long nanos(String text) {
    int digits = text.length() - 1;
    if (digits < 1 || digits > MAX_DIGITS) {
      throw malformed();
    }
    long amount = 0;
    for (int i = 0; i < digits; i++) {
      int digit = text.charAt(i) - '0';
      if (digit < 0 || digit > 9) {
        throw malformed();
      }
      amount = amount * 10 + digit;
    }
    return unit(text.charAt(digits)).toNanos(amount);
  }

  private static TimeUnit unit(char letter) {
    return switch (letter) {
      case 'H' -> TimeUnit.HOURS;
      case 'M' -> TimeUnit.MINUTES;
      case 'S' -> TimeUnit.SECONDS;
      case 'm' -> TimeUnit.MILLISECONDS;
      case 'u' -> TimeUnit.MICROSECONDS;
      case 'n' -> TimeUnit.NANOSECONDS;
      default -> throw malformed();
    };
  }

  private static GrpcException malformed() {
    return new GrpcException(
        GrpcStatus.INVALID_ARGUMENT,
        "grpc-timeout must be 1 to 8 digits and one of H, M, S, m, u, n");
  }
}
