package io.weir.chaos;

/**
 * The test cluster did not behave as a schedule requires, which is no fault of the code under test.
 */
final class StageFailure extends RuntimeException {
  private static final long serialVersionUID = 1L;

  StageFailure(String message) {
    super(message);
  }

  StageFailure(Throwable cause) {
    super(String.valueOf(cause).lines().findFirst().orElse(""), cause);
  }
}
