package io.weir;

/** What a decision rests on. */
public enum Origin {
  /** The memory of this process. */
  MEMORY,
  /** A shared store. */
  STORE,
  /** What this process remembers of a shared store's refusal. */
  CACHE,
  /** Permits taken from a shared store in advance. */
  LEASE,
  /** A local share, while the shared store could not be asked. */
  LOCAL,
  /** Nothing: the store could not be asked, and the failure policy decided. */
  FAILURE
}
