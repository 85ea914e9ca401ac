package io.weir.bench.load;

import java.io.IOException;
import java.nio.ByteBuffer;

/** HTTP/1.1, one request at a time. */
final class HttpConnection extends Connection {
  private static final String LENGTH = "content-length:";
  private static final int STATUS_AT = "HTTP/1.1 ".length();

  private final Expected expected;
  private boolean isUnderWay;

  HttpConnection(Question question, int port, Tally tally) throws IOException {
    super(port, tally);
    expected = question.expected();
  }

  @Override
  void ask() {
    if (!isUnderWay) {
      out().put(tally().nextRequest());
      isUnderWay = true;
    }
  }

  @Override
  boolean take(ByteBuffer in) throws IOException {
    int begin = in.position();
    int length = -1;
    boolean hasHeader = false;
    int place = begin;
    for (; place + 4 <= in.limit(); place++) {
      if (in.get(place) != '\r') {
        continue;
      }
      if (in.get(place + 2) == '\r') {
        break;
      }
      if (length < 0 && Expected.isNameAt(LENGTH, in, place + 2)) {
        length = number(in, place + 2 + LENGTH.length());
      }
      hasHeader = hasHeader || expected.isHeaderAt(in, place + 2);
    }
    if (place + 4 > in.limit()) {
      return false;
    }
    if (length < 0) {
      throw new IOException(
          "a response without length: " + Expected.shown(in, begin, in.remaining()));
    }
    int body = place + 4;
    if (body + length > in.limit()) {
      return false;
    }
    isUnderWay = false;
    int status = number(in, begin + STATUS_AT);
    if (status == expected.status() && hasHeader && expected.isBodyAt(in, body, length)) {
      tally().countGood();
    } else if (status == expected.tolerated()) {
      tally().countTolerated();
    } else {
      tally().countBad(Expected.shown(in, begin, body + length - begin));
    }
    in.position(body + length);
    return true;
  }

  /** The number there, after spaces. */
  private static int number(ByteBuffer in, int place) {
    int at = place;
    while (in.get(at) == ' ') {
      at++;
    }
    int number = 0;
    for (; in.get(at) >= '0' && in.get(at) <= '9'; at++) {
      number = 10 * number + in.get(at) - '0';
    }
    return number;
  }

  @Override
  int underWay() {
    return isUnderWay ? 1 : 0;
  }
}
