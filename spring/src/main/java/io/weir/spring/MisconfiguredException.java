package io.weir.spring;

/** Something is set up so that it could not do what was meant; the start fails. */
public final class MisconfiguredException extends RuntimeException {
  private final String action;

  /**
   * @param what what is wrong, and where
   * @param action how to mend it
   */
  public MisconfiguredException(String what, String action) {
    super(what);
    this.action = action;
  }

  /** How to mend it. */
  public String action() {
    return action;
  }
}
