package io.weir.grpc;

import io.weir.proto.ProtoWriter;
import java.time.Duration;

/**
 * Encodes {@code grpc-status-details-bin}: a {@code google.rpc.Status} with a {@code
 * google.rpc.RetryInfo}. About fifty bytes in a fixed format, so they are written without a
 * protobuf library.
 */
final class StatusDetails {
  /*
   *  Status     1 code     varint
   *             2 message  text
   *             3 details  Any        1 type_url  text
   *                                   2 value     RetryInfo   1 retry_delay  Duration  1 seconds  varint
   *                                                                                    2 nanos    varint
   */

  private static final String RETRY_INFO = "type.googleapis.com/google.rpc.RetryInfo";

  private StatusDetails() {}

  /** The details of a status with a retry delay. */
  static byte[] of(int code, String message, Duration retryDelay) {
    ProtoWriter status = new ProtoWriter(96); // from the end to the beginning
    int any = status.mark();
    int retryInfo = status.mark();
    int duration = status.mark();
    status.number(2, retryDelay.getNano()).number(1, retryDelay.getSeconds());
    status.message(1, duration).message(2, retryInfo).text(1, RETRY_INFO).message(3, any);
    return status.givenText(2, message).number(1, code).toBytes();
  }
}
