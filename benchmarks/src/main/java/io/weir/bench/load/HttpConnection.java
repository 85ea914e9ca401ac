package io.weir.bench.load;

import java.io.IOException;
import java.nio.ByteBuffer;

/** HTTP/1.1, one request at a time. */
final class HttpConnection extends Connection {
  private static final String LENGTH = "content-length:";
  private static final int STATUS_AT = "HTTP/1.1 ".length();

  private final ExpectedResponse expectedResponse;
  private boolean isUnderWay;

  HttpConnection(RequestTemplate requestTemplate, int port, ResponseCounter responseCounter)
      throws IOException {
    super(port, responseCounter);
    expectedResponse = requestTemplate.expectedResponse();
  }

  @Override
  void writeRequests() {
    if (!isUnderWay) {
      out().put(responseCounter().nextRequest());
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
      if (length < 0 && ExpectedResponse.isNameAt(LENGTH, in, place + 2)) {
        length = number(in, place + 2 + LENGTH.length());
      }
      hasHeader = hasHeader || expectedResponse.isHeaderAt(in, place + 2);
    }
    if (place + 4 > in.limit()) {
      return false;
    }
    if (length < 0) {
      throw new IOException(
          "a response without length: " + ExpectedResponse.shown(in, begin, in.remaining()));
    }
    int body = place + 4;
    if (body + length > in.limit()) {
      return false;
    }
    isUnderWay = false;
    int status = number(in, begin + STATUS_AT);
    if (status == expectedResponse.status()
        && hasHeader
        && expectedResponse.isBodyAt(in, body, length)) {
      responseCounter().countGood();
    } else if (status == expectedResponse.tolerated()) {
      responseCounter().countTolerated();
    } else {
      responseCounter().countBad(ExpectedResponse.shown(in, begin, body + length - begin));
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
