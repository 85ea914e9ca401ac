package io.weir;

/** Where a decision comes from. */
public enum Origin {
  /** The memory of this process. */
  MEMORY,
  /** A shared store. */
  STORE,
  /** A shared store's refusal, remembered by this process. */
  CACHE,
  /** Permits taken from a shared store in advance. */
  LEASE,
  /** A local share, while the shared store was unavailable. */
  LOCAL,
  /** The failure policy, because the store was unavailable. */
  FAILURE
}
