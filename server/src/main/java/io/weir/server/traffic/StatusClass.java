package io.weir.server.traffic;

/** The outcome of a request by the first digit of its status. */
public enum StatusClass {
  /** An upgraded connection, such as a WebSocket. */
  INFORMATIONAL("1xx"),
  SUCCESS("2xx"),
  REDIRECTION("3xx"),
  CLIENT_ERROR("4xx"),
  SERVER_ERROR("5xx"),
  /** The client disconnected before a status was sent. */
  NONE("none");

  private final String label;

  StatusClass(String label) {
    this.label = label;
  }

  /** The class of a status of at least 100; those above 599 count as server errors. */
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
