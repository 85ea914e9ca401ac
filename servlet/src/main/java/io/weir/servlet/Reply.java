package io.weir.servlet;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.weir.front.Step;
import io.weir.rules.http.Answer;
import io.weir.rules.http.Answers;
import io.weir.rules.http.Header;
import io.weir.rules.http.Origins;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.util.List;

/** Writes what is told of limits. */
final class Reply {
  private static final String ORIGINS = "io.weir.servlet.origins";
  private static final String PREFIX = "X-RateLimit-";
  private static final String REMAINING = "X-RateLimit-Remaining";

  private Reply() {}

  /** Lets web pages read what a request is answered. */
  static void to(Origins origins, HttpServletRequest request) {
    if (!origins.isEmpty()) {
      request.setAttribute(ORIGINS, origins);
    }
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
      } else if (isList || areStricter) {
        response.setHeader(header.name(), header.value());
      }
    }
  }

  /** Tells again of what a filter before has told of, together with what was found out since. */
  static void tellAgain(List<Header> limits, HttpServletResponse response) {
    limits.forEach(header -> response.setHeader(header.name(), header.value()));
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
  static void send(Step step, HttpServletRequest request, HttpServletResponse response)
      throws IOException {
    Answer answer = step.answer();
    if (answer != null) {
      send(answer, request, response);
    }
  }

  /** Nothing if somebody has answered already. */
  private static void send(Answer answer, HttpServletRequest request, HttpServletResponse response)
      throws IOException {
    if (response.isCommitted()) {
      return;
    }
    byte[] body = answer.body().getBytes(UTF_8);
    response.setStatus(answer.status());
    Object origins = request.getAttribute(ORIGINS);
    tellAgain(
        origins instanceof Origins pages
            ? pages.with(answer.headers(), request.getHeader("Origin"))
            : answer.headers(),
        response);
    response.setContentLength(body.length);
    if (!request.getMethod().equals("HEAD")) {
      write(answer, body, response);
    }
  }

  /** Answers a request that would have to wait where too many do. */
  static void sendBusy(HttpServletRequest request, HttpServletResponse response)
      throws IOException {
    send(Answers.overloaded(1, request.getHeader("Accept")), request, response);
  }

  private static void write(Answer answer, byte[] body, HttpServletResponse response)
      throws IOException {
    try {
      response.getOutputStream().write(body);
    } catch (IllegalStateException e) { // a filter before has taken the writer
      response.getWriter().write(answer.body());
    }
  }
}
