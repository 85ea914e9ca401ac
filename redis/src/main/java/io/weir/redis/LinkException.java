package io.weir.redis;

/** Carries a {@link Failure} through a future. */
final class LinkException extends RuntimeException {
  private static final long serialVersionUID = 1;

  private final transient Failure failure;

  LinkException(Failure failure) {
    super(failure.message(), null, false, false);
    this.failure = failure;
  }

  Failure failure() {
    return failure;
  }
}
