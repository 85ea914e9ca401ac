package io.weir.chaos;

/** The stage was not what a schedule wants, and nothing that is tried is to blame for it. */
final class StageFailure extends RuntimeException {
  private static final long serialVersionUID = 1L;

  StageFailure(String message) {
    super(message);
  }

  StageFailure(Throwable cause) {
    super(String.valueOf(cause).lines().findFirst().orElse(""), cause);
  }
}
