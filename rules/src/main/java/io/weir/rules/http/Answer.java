package io.weir.rules.http;

import java.util.List;

/**
 * What a front sends instead of passing a request on.
 *
 * @param headers those of the body included
 * @param body JSON, in one line
 */
public record Answer(int status, List<Header> headers, String body) {
  /** Copies the list. */
  public Answer {
    headers = List.copyOf(headers);
  }

  /** The words that go with the status. */
  public String reason() {
    return switch (status) {
      case 400 -> "Bad Request";
      case 429 -> "Too Many Requests";
      case 503 -> "Service Unavailable";
      default -> "";
    };
  }
}
