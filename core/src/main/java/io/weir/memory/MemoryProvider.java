package io.weir.memory;

import io.weir.Consistency;
import io.weir.Store;
import java.util.List;

/** Makes stores in the memory of this process. */
public final class MemoryProvider implements Store.Provider {
  @Override
  public List<String> schemes() {
    return List.of("memory");
  }

  @Override
  public Store open(String url) {
    if (!url.equals("memory")) {
      throw new IllegalArgumentException(
          "the memory store takes no address, but got '" + url + "'");
    }
    long openedNanos = System.nanoTime();
    return blueprint ->
        blueprint.consistency() == Consistency.STRICT && blueprint.time().isSharedByKeys()
            ? new Probation(blueprint, openedNanos)
            : new MemoryBuckets(blueprint);
  }
}
