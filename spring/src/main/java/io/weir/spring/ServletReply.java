package io.weir.spring;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.weir.rules.http.Answer;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;

/** Answers in a servlet container. */
final class ServletReply {
  private ServletReply() {}

  /**
   * Replaces what filters have told of limits: each header is there once. Nothing if somebody has
   * answered already.
   */
  static void send(Answer answer, HttpServletRequest request, HttpServletResponse response)
      throws IOException {
    if (response.isCommitted()) {
      return;
    }
    response.resetBuffer();
    byte[] body = answer.body().getBytes(UTF_8);
    response.setStatus(answer.status());
    answer.headers().forEach(header -> response.setHeader(header.name(), header.value()));
    response.setContentLength(body.length);
    if (request.getMethod().equals("HEAD")) {
      return;
    }
    try {
      response.getOutputStream().write(body);
    } catch (IllegalStateException e) { // somebody has taken the writer
      response.getWriter().write(answer.body());
    }
  }
}
