package io.weir.server.traffic;

/** Why a request was sent once more. */
public enum RetryReason {
  /** There was no connection to the server: another one was asked. */
  CONNECT,
  /** The server had closed a connection that was kept. */
  CLOSED,
  /** The server refused the stream (HTTP/2) and had done nothing. */
  REFUSED
}
