package io.weir;

import java.util.List;
import java.util.Objects;
import java.util.ServiceLoader;
import java.util.function.Supplier;
import java.util.stream.Collectors;

/**
 * Where buckets are kept: the interface between the limiter and memory, Redis or a cluster.
 * Implementations are thread-safe.
 *
 * <p>A store opens a set of {@link Buckets} for each limiter. All stores pass the same test suite.
 */
public interface Store extends AutoCloseable {
  /** Opens the buckets of one limiter. A shared store identifies them by the limiter's name. */
  Buckets open(LimiterSpec limiterSpec);

  /**
   * Rejects a consistency that this store cannot guarantee as it is set up, before it is relied on.
   * If the store finds that out later, it refuses requests.
   *
   * @param policy the failure policy; what is guaranteed may depend on it
   * @throws IllegalArgumentException with what to change
   */
  default void requireKept(Consistency promise, OnFailure policy) {}

  /** The health of the store, for monitoring. Does not contact the store. */
  default StoreHealth health() {
    return StoreHealth.IN_PROCESS;
  }

  /**
   * Counts decisions made without the store by {@code decisions} instead of the store's own
   * counters. The store's log lines and outages then report the same numbers as the metrics of the
   * caller.
   *
   * @param decisions all that were made since the store was opened; must not block
   */
  default void countFallbacksBy(Supplier<Fallbacks> decisions) {}

  /** The name shown to people, without passwords: {@code redis://cache:6380}. */
  default String name() {
    return "memory";
  }

  /** Releases threads and connections; buckets opened by this store must not be used any more. */
  @Override
  default void close() {}

  /** A store in the memory of this process. */
  static Store memory() {
    return open("memory");
  }

  /**
   * The store for {@code url}: {@code memory}, or the scheme of another store on the class path.
   *
   * @throws IllegalArgumentException if no store on the class path supports the scheme
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
    // Shows only the scheme, because the rest may have a password in it.
    String shown = colon < 0 ? scheme : scheme + ":";
    throw new IllegalArgumentException(
        "no store for '" + shown + "' on the class path; known schemes: " + known);
  }

  /** Makes stores from URLs; found by {@link ServiceLoader}. */
  interface Provider {
    /** The URL schemes that it supports. */
    List<String> schemes();

    /** The store of a URL with one of its schemes. */
    Store open(String url);
  }

  /**
   * What a store needs to know to keep the buckets of one limiter. Immutable.
   *
   * @param name the limiter's name
   * @param limits the limits that all apply to each key; at least one
   * @param overflow for each limit its counterpart that new keys share while {@code maxKeys} are
   *     live, of the same algorithm and period
   * @param maxKeys the most live keys to keep apart, if the store keeps them in this process
   * @param time the clock, if the store has none of its own
   * @param onFailure the decision when the store is unavailable
   * @param consistency what is guaranteed where several processes share the buckets
   */
  record LimiterSpec(
      String name,
      List<Limit> limits,
      List<Limit> overflow,
      long maxKeys,
      TimeSource time,
      OnFailure onFailure,
      Consistency consistency) {
    /** Checks that the limits fit together. */
    public LimiterSpec {
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

    /** A spec with {@link Consistency#EXACT}. */
    public LimiterSpec(
        String name,
        List<Limit> limits,
        List<Limit> overflow,
        long maxKeys,
        TimeSource time,
        OnFailure onFailure) {
      this(name, limits, overflow, maxKeys, time, onFailure, Consistency.EXACT);
    }

    /**
     * The same spec with other limits, policy and consistency. A changed limit without an overflow
     * counterpart is its own.
     */
    LimiterSpec with(List<Limit> changed, OnFailure policy, Consistency promise) {
      List<Limit> twins =
          changed.stream()
              .map(
                  limit ->
                      overflow.stream().filter(limit::sharesBucketsWith).findFirst().orElse(limit))
              .toList();
      return new LimiterSpec(
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
