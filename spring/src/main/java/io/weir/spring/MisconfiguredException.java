package io.weir.spring;

/** Stops the start because of a setting that could not have the intended effect. */
public final class MisconfiguredException extends RuntimeException {
  private final String action;

  /**
   * @param what what is wrong, and where
   * @param action how to correct it
   */
  public MisconfiguredException(String what, String action) {
    super(what);
    this.action = action;
  }

  /** How to correct it. */
  public String action() {
    return action;
  }
}
