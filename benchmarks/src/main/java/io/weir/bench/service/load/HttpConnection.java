package io.weir.bench.service.load;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;

/** HTTP/1.1, one request at a time. */
final class HttpConnection extends Connection {
  private static final byte[] LENGTH = "\r\ncontent-length:".getBytes(StandardCharsets.US_ASCII);
  private static final byte[] STATUS = "HTTP/1.1 200 ".getBytes(StandardCharsets.US_ASCII);

  private final byte[] head;
  private boolean isUnderWay;

  HttpConnection(Question question, int port, Tally tally) throws IOException {
    super(port, tally);
    head =
        ("POST %s HTTP/1.1\r\nHost: 127.0.0.1:%d\r\nContent-Type: application/json\r\n"
                + "Content-Length: ")
            .formatted(question.path(), port)
            .getBytes(StandardCharsets.US_ASCII);
  }

  @Override
  void ask() {
    if (isUnderWay) {
      return;
    }
    byte[] body = tally().nextBody();
    ByteBuffer out = out();
    out.put(head);
    digits(out, body.length);
    out.putInt('\r' << 24 | '\n' << 16 | '\r' << 8 | '\n');
    out.put(body);
    isUnderWay = true;
  }

  private static void digits(ByteBuffer out, int number) {
    if (number >= 10) {
      digits(out, number / 10);
    }
    out.put((byte) ('0' + number % 10));
  }

  @Override
  boolean take(ByteBuffer in) throws IOException {
    int begin = in.position();
    int length = -1;
    int place = begin;
    for (; place + 4 <= in.limit(); place++) {
      if (in.get(place) != '\r') {
        continue;
      }
      if (in.get(place + 2) == '\r') {
        break;
      }
      if (length < 0 && isLength(in, place)) {
        length = number(in, place + LENGTH.length);
      }
    }
    if (place + 4 > in.limit()) {
      return false;
    }
    if (length < 0) {
      throw new IOException(
          "an answer without length: " + Expected.shown(in, begin, in.remaining()));
    }
    int body = place + 4;
    if (body + length > in.limit()) {
      return false;
    }
    isUnderWay = false;
    if (isOk(in, begin)) {
      tally().count(tally().isExpected(in, body, length));
    } else {
      tally().countBad(Expected.shown(in, begin, body + length - begin));
    }
    in.position(body + length);
    return true;
  }

  private static boolean isLength(ByteBuffer in, int place) {
    if (place + LENGTH.length > in.limit()) {
      return false;
    }
    for (int i = 2; i < LENGTH.length; i++) {
      if ((in.get(place + i) | 0x20) != (LENGTH[i] | 0x20)) {
        return false;
      }
    }
    return true;
  }

  private static int number(ByteBuffer in, int place) {
    int number = 0;
    for (int i = place; i < in.limit() && in.get(i) != '\r'; i++) {
      if (in.get(i) != ' ') {
        number = 10 * number + in.get(i) - '0';
      }
    }
    return number;
  }

  private static boolean isOk(ByteBuffer in, int begin) {
    for (int i = 0; i < STATUS.length; i++) {
      if (in.get(begin + i) != STATUS[i]) {
        return false;
      }
    }
    return true;
  }

  @Override
  int underWay() {
    return isUnderWay ? 1 : 0;
  }
}
