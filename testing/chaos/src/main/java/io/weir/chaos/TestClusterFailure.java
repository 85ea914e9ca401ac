package io.weir.chaos;

/**
 * The test cluster did not behave as a schedule requires, which is no fault of the code under test.
 */
final class TestClusterFailure extends RuntimeException {
  private static final long serialVersionUID = 1L;

  TestClusterFailure(String message) {
    super(message);
  }

  TestClusterFailure(Throwable cause) {
    super(String.valueOf(cause).lines().findFirst().orElse(""), cause);
  }
}
