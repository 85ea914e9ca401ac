package io.weir.server.connection;

import io.netty.handler.codec.http.HttpHeaderNames;
import io.netty.handler.codec.http.HttpHeaderValues;
import io.netty.handler.codec.http.HttpHeaders;
import io.netty.handler.codec.http.HttpMethod;
import io.netty.handler.codec.http.HttpRequest;
import io.netty.handler.codec.http.HttpVersion;
import io.netty.handler.codec.http.TooLongHttpHeaderException;
import io.netty.util.AsciiString;
import java.util.Iterator;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Validates HTTP/1 requests more strictly than Netty: the end of a request must be unambiguous. If
 * two servers can read a message in two ways, one request can be smuggled inside another.
 */
final class Http1Validator {
  private static final int MAX_HEADERS = 100;
  private static final int MAX_DIGITS = 18;

  private Http1Validator() {}

  /** The reason to reject a request; null if it is valid. */
  static @Nullable Exception fault(HttpRequest request) {
    HttpVersion version = request.protocolVersion();
    boolean isHttp11 = version.equals(HttpVersion.HTTP_1_1);
    if (!isHttp11 && !version.equals(HttpVersion.HTTP_1_0)) {
      return new UnsupportedOperationException("this HTTP version is not supported");
    }
    HttpHeaders headers = request.headers();
    int count = 0;
    int hosts = 0;
    boolean hasExpectation = false;
    boolean hasLength = false;
    boolean hasEncoding = false;
    for (Iterator<Map.Entry<CharSequence, CharSequence>> all = headers.iteratorCharSequence();
        all.hasNext(); ) {
      Map.Entry<CharSequence, CharSequence> header = all.next();
      CharSequence name = header.getKey();
      if (++count > MAX_HEADERS) {
        return new TooLongHttpHeaderException("there are more than " + MAX_HEADERS + " headers");
      }
      int length = name.length();
      if (length == 0) {
        return new IllegalArgumentException("a header has no name");
      }
      if (length == 4 && AsciiString.contentEqualsIgnoreCase(name, HttpHeaderNames.HOST)) {
        hosts++;
      }
      if (length == 14
          && AsciiString.contentEqualsIgnoreCase(name, HttpHeaderNames.CONTENT_LENGTH)) {
        if (hasLength || !isLength(header.getValue())) {
          return new IllegalArgumentException("the header 'Content-Length' must be one number");
        }
        hasLength = true;
      } else if (length == 17
          && AsciiString.contentEqualsIgnoreCase(name, HttpHeaderNames.TRANSFER_ENCODING)) {
        if (hasEncoding || !isChunked(header.getValue())) {
          return new IllegalArgumentException("the header 'Transfer-Encoding' must be 'chunked'");
        }
        hasEncoding = true;
      } else if (length == 6 && AsciiString.contentEqualsIgnoreCase(name, HttpHeaderNames.EXPECT)) {
        if (hasExpectation) {
          return new IllegalArgumentException("the header 'Expect' must be sent once at most");
        }
        hasExpectation = true;
      } else if (Hixie76.isKey(name)) {
        return new IllegalArgumentException(Hixie76.REFUSAL);
      } else if (ForwardingHeaders.isDisguised(name)) {
        return new IllegalArgumentException(
            "a header that proxies set must not be sent with underscores");
      }
    }
    if (hasEncoding && hasLength) {
      return new IllegalArgumentException(
          "'Content-Length' and 'Transfer-Encoding' must not be sent together");
    }
    if (hosts > 1 || (isHttp11 && hosts == 0)) {
      return new IllegalArgumentException("the header 'Host' must be sent once");
    }
    if (hasEncoding && !isHttp11) {
      return new IllegalArgumentException("HTTP/1.0 does not support 'Transfer-Encoding'");
    }
    return null;
  }

  /**
   * Whether a valid request is over HTTP/1.1, has no body, and requires nothing but its response:
   * no upgrade, and no change to the connection.
   */
  static boolean isPlain(HttpRequest request) {
    HttpHeaders headers = request.headers();
    return request.protocolVersion().equals(HttpVersion.HTTP_1_1)
        && !request.method().equals(HttpMethod.HEAD)
        && !headers.contains(HttpHeaderNames.CONTENT_LENGTH)
        && !headers.contains(HttpHeaderNames.TRANSFER_ENCODING)
        && !headers.contains(HttpHeaderNames.EXPECT)
        && !headers.contains(HttpHeaderNames.UPGRADE)
        && (!headers.contains(HttpHeaderNames.CONNECTION) || isKept(headers));
  }

  /** Whether the Connection headers hold nothing but {@code keep-alive}, the default. */
  private static boolean isKept(HttpHeaders headers) {
    for (String said : headers.getAll(HttpHeaderNames.CONNECTION)) {
      if (!AsciiString.contentEqualsIgnoreCase(said, HttpHeaderValues.KEEP_ALIVE)) {
        return false;
      }
    }
    return true;
  }

  private static boolean isLength(CharSequence value) {
    boolean isLength = value.length() > 0 && value.length() <= MAX_DIGITS;
    for (int i = 0; isLength && i < value.length(); i++) {
      isLength = value.charAt(i) >= '0' && value.charAt(i) <= '9';
    }
    return isLength;
  }

  private static boolean isChunked(CharSequence value) {
    return AsciiString.contentEqualsIgnoreCase(value, HttpHeaderValues.CHUNKED);
  }
}
