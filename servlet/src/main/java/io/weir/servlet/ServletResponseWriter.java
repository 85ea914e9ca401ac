package io.weir.servlet;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.weir.embedded.FilterAction;
import io.weir.rules.http.Cors;
import io.weir.rules.http.DecisionResponses;
import io.weir.rules.http.DirectResponse;
import io.weir.rules.http.Header;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.io.OutputStream;
import java.util.List;

/** Writes rate limit headers and refusals. */
final class ServletResponseWriter {
  private static final String PREFIX = "X-RateLimit-";
  private static final String REMAINING = "X-RateLimit-Remaining";

  private static final String ALLOWED_ORIGIN = "Access-Control-Allow-Origin";
  private static final String EXPOSED = "Access-Control-Expose-Headers";
  private static final String VARY = "Vary";

  private final Cors cors;

  /**
   * @param cors the web origins that may read refusals
   */
  ServletResponseWriter(Cors cors) {
    this.cors = cors;
  }

  /**
   * Adds headers to the application's response. If a filter of another node added some before,
   * lists are joined. Of single-valued headers, those of the limit with less remaining stay.
   */
  static void addHeaders(List<Header> limits, HttpServletResponse response) {
    boolean isFirst = response.getHeader(REMAINING) == null;
    boolean isStricter = isFirst || remaining(limits) < remaining(response);
    for (int i = 0; i < limits.size(); i++) {
      Header header = limits.get(i);
      boolean isList = !header.name().startsWith(PREFIX);
      String before = isList ? response.getHeader(header.name()) : null;
      if (before != null) {
        response.setHeader(header.name(), before + ", " + header.value());
      } else if (isList) {
        response.addHeader(header.name(), header.value()); // avoids another lookup
      } else if (isStricter) {
        response.setHeader(header.name(), header.value());
      }
    }
    expose(limits, response);
  }

  /** Replaces the headers of an earlier filter by those of all rules checked since. */
  static void replaceHeaders(List<Header> limits, HttpServletResponse response) {
    limits.forEach(header -> response.setHeader(header.name(), header.value()));
    expose(limits, response);
  }

  /**
   * Exposes the headers to pages of other origins, if an earlier filter lets them read the
   * response.
   */
  private static void expose(List<Header> headers, HttpServletResponse response) {
    if (!headers.isEmpty() && response.containsHeader(ALLOWED_ORIGIN)) {
      String before = String.join(", ", response.getHeaders(EXPOSED));
      response.setHeader(EXPOSED, Cors.exposed(before, headers));
    }
  }

  private static long remaining(List<Header> limits) {
    for (Header header : limits) {
      if (header.name().equals(REMAINING)) {
        return Long.parseLong(header.value());
      }
    }
    return Long.MAX_VALUE;
  }

  /** Lenient, since another component wrote the value. */
  private static long remaining(HttpServletResponse response) {
    try {
      return Long.parseLong(response.getHeader(REMAINING));
    } catch (NumberFormatException e) {
      return Long.MAX_VALUE;
    }
  }

  /** Writes a refusal. */
  void send(FilterAction filterAction, HttpServletRequest request, HttpServletResponse response)
      throws IOException {
    DirectResponse directResponse = filterAction.directResponse();
    if (directResponse != null) {
      send(directResponse, request, response);
    }
  }

  /** Refuses a request to be delayed when too many are. */
  void sendBusy(HttpServletRequest request, HttpServletResponse response) throws IOException {
    send(DecisionResponses.overloaded(1, request.getHeader("Accept")), request, response);
  }

  /** Does nothing if the response is committed. */
  void send(DirectResponse directResponse, HttpServletRequest request, HttpServletResponse response)
      throws IOException {
    if (response.isCommitted()) {
      return;
    }
    response.resetBuffer();
    response.setStatus(directResponse.status());
    replaceHeaders(directResponse.headers(), response);
    allow(directResponse.headers(), request, response);
    write(directResponse.body(), request.getMethod().equals("HEAD"), response);
  }

  /** Leaves the CORS headers of an earlier filter unchanged. */
  private void allow(
      List<Header> headers, HttpServletRequest request, HttpServletResponse response) {
    if (response.containsHeader(ALLOWED_ORIGIN)) {
      return;
    }
    for (Header header : cors.of(headers, request.getHeader("Origin"))) {
      if (header.name().equals(VARY)) {
        response.addHeader(header.name(), header.value());
      } else {
        response.setHeader(header.name(), header.value());
      }
    }
  }

  private static void write(String text, boolean isHead, HttpServletResponse response)
      throws IOException {
    byte[] body = text.getBytes(UTF_8);
    OutputStream out;
    try {
      out = response.getOutputStream();
    } catch (IllegalStateException e) { // an earlier filter has taken the writer
      response.getWriter().write(isHead ? "" : text);
      return;
    }
    response.setContentLength(body.length);
    if (!isHead) {
      out.write(body);
    }
  }
}
