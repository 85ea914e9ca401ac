package io.weir.memory;

/**
 * Gives the benchmark's lower bound access to the memory store's hash, so that both hash a key by
 * the same code. It is in the store's package because that code is package-private.
 */
public final class BorrowedHash {
  private final KeyHash hash = KeyHash.shared();

  /** The hash of {@code key}. */
  public long of(String key) {
    return hash.of(key);
  }
}
