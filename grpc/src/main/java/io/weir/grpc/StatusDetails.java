package io.weir.grpc;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.ByteArrayOutputStream;
import java.time.Duration;

/**
 * Encodes {@code grpc-status-details-bin}: a {@code google.rpc.Status} with a {@code
 * google.rpc.RetryInfo}. About fifty bytes in a fixed format, so they are written here without a
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
  private static final int VARINT = 0;
  private static final int BYTES = 2;

  private final ByteArrayOutputStream bytes = new ByteArrayOutputStream(96);

  private StatusDetails() {}

  /** The details of a status with a retry delay. */
  static byte[] of(int code, String message, Duration retryDelay) {
    StatusDetails duration =
        new StatusDetails().number(1, retryDelay.getSeconds()).number(2, retryDelay.getNano());
    StatusDetails retryInfo = new StatusDetails().bytes(1, duration.toBytes());
    StatusDetails any =
        new StatusDetails().bytes(1, RETRY_INFO.getBytes(UTF_8)).bytes(2, retryInfo.toBytes());
    return new StatusDetails()
        .number(1, code)
        .bytes(2, message.getBytes(UTF_8))
        .bytes(3, any.toBytes())
        .toBytes();
  }

  /** Omits zero, as protobuf does. */
  private StatusDetails number(int field, long value) {
    if (value != 0) {
      varint(field << 3 | VARINT);
      varint(value);
    }
    return this;
  }

  private StatusDetails bytes(int field, byte[] value) {
    varint(field << 3 | BYTES);
    varint(value.length);
    bytes.writeBytes(value);
    return this;
  }

  private void varint(long value) {
    long rest = value;
    while ((rest & ~0x7fL) != 0) {
      bytes.write((int) (rest & 0x7f | 0x80));
      rest >>>= 7;
    }
    bytes.write((int) rest);
  }

  private byte[] toBytes() {
    return bytes.toByteArray();
  }
}
