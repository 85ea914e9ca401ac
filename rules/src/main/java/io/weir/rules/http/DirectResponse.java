package io.weir.rules.http;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** The response that a front end sends in place of the upstream's. Immutable. */
public final class DirectResponse {
  private final int status;
  private final List<Header> headers;
  private final String body;
  private volatile byte @Nullable [] http1; // created on first use; always the same bytes

  /**
   * Creates a response.
   *
   * @param headers including those of the body
   * @param body JSON, in one line
   */
  public DirectResponse(int status, List<Header> headers, String body) {
    this.status = status;
    this.headers = List.copyOf(headers);
    this.body = body;
  }

  /** The status. */
  public int status() {
    return status;
  }

  /** The headers, including those of the body except its length. */
  public List<Header> headers() {
    return headers;
  }

  /** The body. */
  public String body() {
    return body;
  }

  /** The reason phrase of the status. */
  public String reason() {
    return switch (status) {
      case 400 -> "Bad Request";
      case 429 -> "Too Many Requests";
      case 503 -> "Service Unavailable";
      default -> "";
    };
  }

  /**
   * The complete HTTP/1.1 response for a connection that stays open. The caller must not change it.
   * It is built once, so repeated responses cost nothing.
   */
  public byte[] http1() {
    byte[] known = http1;
    if (known == null) {
      StringBuilder text = new StringBuilder(512);
      text.append("HTTP/1.1 ").append(status).append(' ').append(reason()).append("\r\n");
      for (Header header : headers) {
        text.append(header).append("\r\n");
      }
      text.append("content-length: ").append(body.getBytes(UTF_8).length).append("\r\n\r\n");
      known = text.append(body).toString().getBytes(UTF_8);
      http1 = known;
    }
    return known;
  }

  @Override
  public boolean equals(Object o) {
    return o instanceof DirectResponse that
        && status == that.status
        && headers.equals(that.headers)
        && body.equals(that.body);
  }

  @Override
  public int hashCode() {
    return Objects.hash(status, headers, body);
  }

  @Override
  public String toString() {
    return status + " " + headers + " " + body;
  }
}
