package io.weir.memory;

import io.weir.Consistency;
import io.weir.Limit;
import io.weir.Store;
import io.weir.algorithm.Algorithm;
import io.weir.algorithm.Timeline;
import java.util.List;

/** Makes in-memory stores. */
public final class MemoryProvider implements Store.Provider {
  private static final long WORD_KEY_BYTES = 24; // 16 a slot, 65 to 82 percent filled
  private static final long RECORD_WORD_BYTES = 11; // 8, 70 to 85 percent filled

  /** How many bytes of the heap all key tables of this process may take together. */
  public static long share() {
    return TableMemory.SHARED.share();
  }

  /** About how many bytes a live key of these limits takes; for a log, one of a single entry. */
  public static long bytesPerKey(List<Limit> limits) {
    Timeline timeline = new Timeline(0);
    if (limits.size() == 1 && Algorithm.of(limits.get(0), timeline, List.of()).isOneWord()) {
      return WORD_KEY_BYTES;
    }
    long bytes = 0;
    for (Limit limit : limits) {
      Algorithm algorithm = Algorithm.of(limit, timeline, List.of());
      bytes += (1 + algorithm.words()) * RECORD_WORD_BYTES;
      bytes += limit instanceof Limit.SlidingLog ? Long.BYTES : 0;
    }
    return bytes;
  }

  @Override
  public List<String> schemes() {
    return List.of("memory");
  }

  @Override
  public Store open(String url) {
    if (!url.equals("memory")) {
      throw new IllegalArgumentException("the memory store has no address, but got '" + url + "'");
    }
    long openedNanos = System.nanoTime();
    return limiterSpec ->
        limiterSpec.consistency() == Consistency.STRICT && limiterSpec.time().isSharedByKeys()
            ? new StrictStartup(limiterSpec, openedNanos)
            : new MemoryBuckets(limiterSpec);
  }
}
