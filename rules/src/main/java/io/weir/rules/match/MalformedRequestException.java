package io.weir.rules.match;

/** Rules cannot be applied to the request: a front end responds with 400. */
public final class MalformedRequestException extends RuntimeException {
  /** Creates an exception with a message for the client. */
  public MalformedRequestException(String message) {
    super(message, null, false, false); // no stack trace: malformed requests must stay cheap
  }
}
