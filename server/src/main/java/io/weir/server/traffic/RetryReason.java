package io.weir.server.traffic;

/** Why a request was retried. */
public enum RetryReason {
  /** The connection to the server failed, and another server was tried. */
  CONNECT,
  /** The server had closed a kept-alive connection. */
  CLOSED,
  /** The server refused the HTTP/2 stream without processing it. */
  REFUSED
}
