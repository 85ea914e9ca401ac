package io.weir.server.traffic;

/** What a request came to, by the first digit of its status. */
public enum StatusClass {
  /** A connection that became something else, such as a WebSocket. */
  INFORMATIONAL("1xx"),
  SUCCESS("2xx"),
  REDIRECTION("3xx"),
  CLIENT_ERROR("4xx"),
  SERVER_ERROR("5xx"),
  /** The client left before there was a status. */
  NONE("none");

  private final String label;

  StatusClass(String label) {
    this.label = label;
  }

  /** That of a status from 100 on; what is beyond 599 is an error of the server's. */
  public static StatusClass of(int status) {
    return switch (status / 100) {
      case 1 -> INFORMATIONAL;
      case 2 -> SUCCESS;
      case 3 -> REDIRECTION;
      case 4 -> CLIENT_ERROR;
      default -> SERVER_ERROR;
    };
  }

  @Override
  public String toString() {
    return label;
  }
}
