package io.weir;

import java.util.List;
import java.util.Objects;
import java.util.ServiceLoader;
import java.util.function.Supplier;
import java.util.stream.Collectors;

/**
 * Where buckets are kept: the one interface between the limiter and memory, Redis or a cluster.
 *
 * <p>A store opens a set of {@link Buckets} for each limiter. All stores pass the same suite.
 */
public interface Store extends AutoCloseable {
  /** The buckets of one limiter, found again by its name where the store is shared. */
  Buckets open(Blueprint blueprint);

  /**
   * Refuses a promise that this store cannot keep as it is set up, before anybody relies on it.
   * What it finds out later, or cannot find out now, makes it refuse requests.
   *
   * @param policy while the store cannot be asked: what is promised may depend on it
   * @throws IllegalArgumentException saying what to change
   */
  default void requireKept(Consistency promise, OnFailure policy) {}

  /** How it is doing, for those who watch it; nothing is asked for that. */
  default StoreHealth health() {
    return StoreHealth.IN_PROCESS;
  }

  /**
   * Counts decisions made without the store as {@code decisions} does, and no longer by itself: so
   * that its log lines and outages report the numbers that the caller shows elsewhere.
   *
   * @param decisions all that were made since the store was opened; must not block
   */
  default void countFallbacksBy(Supplier<Fallbacks> decisions) {}

  /** What it is called where people read it, without passwords: {@code redis://cache:6380}. */
  default String name() {
    return "memory";
  }

  /** Lets go of threads and connections; what was opened here must not be used any more. */
  @Override
  default void close() {}

  /** A store in the memory of this process. */
  static Store memory() {
    return open("memory");
  }

  /**
   * The store that {@code url} names: {@code memory}, or another scheme whose store is on the class
   * path.
   *
   * @throws IllegalArgumentException if no store on the class path knows the scheme
   */
  static Store open(String url) {
    Objects.requireNonNull(url, "url");
    int colon = url.indexOf(':');
    String scheme = colon < 0 ? url : url.substring(0, colon);
    List<Provider> providers =
        ServiceLoader.load(Provider.class, Store.class.getClassLoader()).stream()
            .map(ServiceLoader.Provider::get)
            .toList();
    for (Provider provider : providers) {
      if (provider.schemes().contains(scheme)) {
        return provider.open(url);
      }
    }
    String known =
        providers.stream()
            .flatMap(p -> p.schemes().stream())
            .sorted()
            .collect(Collectors.joining(", "));
    // Only the scheme: what follows may have a password in it.
    String shown = colon < 0 ? scheme : scheme + ":";
    throw new IllegalArgumentException(
        "no store for '" + shown + "' on the class path; known are: " + known);
  }

  /** Makes stores from URLs; found by {@link ServiceLoader}. */
  interface Provider {
    /** The schemes of the URLs that it knows. */
    List<String> schemes();

    /** The store of a URL with one of its schemes. */
    Store open(String url);
  }

  /**
   * What a store needs to know to keep the buckets of one limiter.
   *
   * @param name the limiter's name
   * @param limits the limits that hold together for each key; at least one
   * @param overflow for each limit its twin that new keys share while {@code maxKeys} are live: of
   *     the same algorithm and period
   * @param maxKeys the most live keys to keep apart, where the store keeps them in this process
   * @param time the clock, where the store has none of its own
   * @param onFailure what is decided when the store cannot be asked
   * @param consistency what is promised where several processes share the buckets
   */
  record Blueprint(
      String name,
      List<Limit> limits,
      List<Limit> overflow,
      long maxKeys,
      TimeSource time,
      OnFailure onFailure,
      Consistency consistency) {
    /** Checks that the limits go together. */
    public Blueprint {
      limits = List.copyOf(limits);
      overflow = List.copyOf(overflow);
      if (limits.isEmpty()) {
        throw new IllegalArgumentException("limits must not be empty");
      }
      if (maxKeys < 1) {
        throw new IllegalArgumentException("maxKeys must be at least 1, but is " + maxKeys);
      }
      requireApart(limits);
      requireTwins(limits, overflow);
      consistency.requireFor(limits, onFailure);
    }

    /** An exact one. */
    public Blueprint(
        String name,
        List<Limit> limits,
        List<Limit> overflow,
        long maxKeys,
        TimeSource time,
        OnFailure onFailure) {
      this(name, limits, overflow, maxKeys, time, onFailure, Consistency.EXACT);
    }

    /**
     * The same blueprint with other limits, policy and promise; an overflow limit whose twin is
     * gone gives way to the new limit.
     */
    Blueprint with(List<Limit> changed, OnFailure policy, Consistency promise) {
      List<Limit> twins =
          changed.stream()
              .map(
                  limit ->
                      overflow.stream().filter(limit::sharesBucketsWith).findFirst().orElse(limit))
              .toList();
      return new Blueprint(
          name, changed, overflow.equals(limits) ? changed : twins, maxKeys, time, policy, promise);
    }

    private static void requireApart(List<Limit> limits) {
      for (int i = 0; i < limits.size(); i++) {
        for (int j = 0; j < i; j++) {
          if (limits.get(i).sharesBucketsWith(limits.get(j))) {
            throw new IllegalArgumentException(
                "two limits of the same algorithm and period: "
                    + limits.get(j)
                    + " and "
                    + limits.get(i));
          }
        }
      }
    }

    private static void requireTwins(List<Limit> limits, List<Limit> overflow) {
      boolean twins = limits.size() == overflow.size();
      for (int i = 0; twins && i < limits.size(); i++) {
        twins = limits.get(i).sharesBucketsWith(overflow.get(i));
      }
      if (!twins) {
        throw new IllegalArgumentException(
            "overflow must name a limit of the same algorithm and period for each of "
                + limits
                + ", but is "
                + overflow);
      }
    }
  }
}
