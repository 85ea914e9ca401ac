package io.weir.memory;

/**
 * Lends the memory store's hash to the benchmark's floor, so that both hash a key by the very same
 * code. It lives in the store's package because that code is nobody else's business.
 */
public final class BorrowedHash {
  private final KeyHash hash = KeyHash.shared();

  /** The hash of {@code key}. */
  public long of(String key) {
    return hash.of(key);
  }
}
