package io.weir.servlet;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.weir.front.Step;
import io.weir.rules.http.Answer;
import io.weir.rules.http.Answers;
import io.weir.rules.http.Cors;
import io.weir.rules.http.Header;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.io.OutputStream;
import java.util.List;

/** Writes what is told of limits. */
final class Reply {
  private static final String PREFIX = "X-RateLimit-";
  private static final String REMAINING = "X-RateLimit-Remaining";

  private static final String ALLOWED_ORIGIN = "Access-Control-Allow-Origin";
  private static final String EXPOSED = "Access-Control-Expose-Headers";
  private static final String VARY = "Vary";

  private final Cors cors;

  /**
   * @param cors whose pages may read what is answered here
   */
  Reply(Cors cors) {
    this.cors = cors;
  }

  /**
   * Adds to a response that the application makes. Where a filter of another node has told of its
   * limits, lists are joined, and of what can be told only once the one with less remaining stays.
   */
  static void tell(List<Header> limits, HttpServletResponse response) {
    boolean areFirst = response.getHeader(REMAINING) == null;
    boolean areStricter = areFirst || remaining(limits) < remaining(response);
    for (int i = 0; i < limits.size(); i++) {
      Header header = limits.get(i);
      boolean isList = !header.name().startsWith(PREFIX);
      String before = isList ? response.getHeader(header.name()) : null;
      if (before != null) {
        response.setHeader(header.name(), before + ", " + header.value());
      } else if (isList) {
        response.addHeader(header.name(), header.value()); // need not look for it once more
      } else if (areStricter) {
        response.setHeader(header.name(), header.value());
      }
    }
    expose(limits, response);
  }

  /** Tells again of what a filter before has told of, together with what was found out since. */
  static void tellAgain(List<Header> limits, HttpServletResponse response) {
    limits.forEach(header -> response.setHeader(header.name(), header.value()));
    expose(limits, response);
  }

  /** Where a filter before lets a page of another origin read the response, this too. */
  private static void expose(List<Header> told, HttpServletResponse response) {
    if (!told.isEmpty() && response.containsHeader(ALLOWED_ORIGIN)) {
      String before = String.join(", ", response.getHeaders(EXPOSED));
      response.setHeader(EXPOSED, Cors.exposed(before, told));
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

  /** Of what somebody else has written, whatever that is. */
  private static long remaining(HttpServletResponse response) {
    try {
      return Long.parseLong(response.getHeader(REMAINING));
    } catch (NumberFormatException e) {
      return Long.MAX_VALUE;
    }
  }

  /** Answers what may not go on. */
  void send(Step step, HttpServletRequest request, HttpServletResponse response)
      throws IOException {
    Answer answer = step.answer();
    if (answer != null) {
      send(answer, request, response);
    }
  }

  /** Answers a request that would have to wait where too many do. */
  void sendBusy(HttpServletRequest request, HttpServletResponse response) throws IOException {
    send(Answers.overloaded(1, request.getHeader("Accept")), request, response);
  }

  /** Nothing if somebody has answered already. */
  void send(Answer answer, HttpServletRequest request, HttpServletResponse response)
      throws IOException {
    if (response.isCommitted()) {
      return;
    }
    response.resetBuffer();
    response.setStatus(answer.status());
    tellAgain(answer.headers(), response);
    allow(answer.headers(), request, response);
    write(answer.body(), request.getMethod().equals("HEAD"), response);
  }

  /** A filter before that speaks of origins has the last word. */
  private void allow(List<Header> told, HttpServletRequest request, HttpServletResponse response) {
    if (response.containsHeader(ALLOWED_ORIGIN)) {
      return;
    }
    for (Header header : cors.of(told, request.getHeader("Origin"))) {
      if (header.name().equals(VARY)) {
        response.addHeader(header.name(), header.value());
      } else {
        response.setHeader(header.name(), header.value());
      }
    }
  }

  private static void write(String text, boolean isOfHead, HttpServletResponse response)
      throws IOException {
    byte[] body = text.getBytes(UTF_8);
    OutputStream out;
    try {
      out = response.getOutputStream();
    } catch (IllegalStateException e) { // a filter before has taken the writer
      response.getWriter().write(isOfHead ? "" : text);
      return;
    }
    response.setContentLength(body.length);
    if (!isOfHead) {
      out.write(body);
    }
  }
}
