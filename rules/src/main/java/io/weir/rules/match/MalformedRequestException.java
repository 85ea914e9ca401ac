package io.weir.rules.match;

/** A request that rules cannot be applied to with confidence: a front answers 400. */
public final class MalformedRequestException extends RuntimeException {
  /** A request with a fault that {@code message} tells its sender. */
  public MalformedRequestException(String message) {
    super(message, null, false, false); // whoever sends nonsense must not make us walk the stack
  }
}
