package io.weir.rules.envoy;

import io.weir.rules.Request;
import io.weir.rules.match.MalformedRequestException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import org.jspecify.annotations.Nullable;

/**
 * A descriptor of the Envoy form: entries, from the outermost to the innermost.
 *
 * @param limit a limit that replaces the one in the rules
 * @param hits how many permits this descriptor costs; empty: as many as the whole request; 0: it
 *     only checks for a permit
 * @param isNegative whether the hits are given back instead
 */
public record Descriptor(
    List<Entry> entries, Optional<LimitOverride> limit, OptionalLong hits, boolean isNegative) {
  /** Copies the list. */
  public Descriptor {
    entries = List.copyOf(entries);
    if (hits.isPresent() && hits.getAsLong() < 0) {
      throw new MalformedRequestException("hits must not be negative");
    }
  }

  /** A descriptor that gives nothing back. */
  public Descriptor(List<Entry> entries, Optional<LimitOverride> limit, OptionalLong hits) {
    this(entries, limit, hits, false);
  }

  /** A key with its value, which may be empty. */
  public record Entry(String key, String value) {}

  /** A descriptor of one entry. */
  public static Descriptor of(String key, String value) {
    return of(List.of(new Entry(key, value)));
  }

  /** A descriptor of these entries. */
  public static Descriptor of(List<Entry> entries) {
    return new Descriptor(entries, Optional.empty(), OptionalLong.empty());
  }

  /** The same descriptor with one more entry. */
  public Descriptor and(String key, String value) {
    List<Entry> more = new ArrayList<>(entries);
    more.add(new Entry(key, value));
    return new Descriptor(more, limit, hits, isNegative);
  }

  /** The same descriptor with a limit of its own. */
  public Descriptor limitedTo(LimitOverride override) {
    return new Descriptor(entries, Optional.of(override), hits, isNegative);
  }

  /** The same descriptor with hits of its own; 0: it only checks. */
  public Descriptor withHits(long own) {
    return new Descriptor(entries, limit, OptionalLong.of(own), isNegative);
  }

  /** The same descriptor as a refund. */
  public Descriptor givingBack() {
    return new Descriptor(entries, limit, hits, true);
  }

  /** Whether it spends nothing and only checks for a permit. */
  public boolean isPeek() {
    return !isNegative && hits.isPresent() && hits.getAsLong() == 0;
  }

  /**
   * How many permits it costs: its own hits, or else those of the whole request, where 0 means one.
   */
  public long cost(long hitsOfRequest) {
    return hits.orElse(hitsOfRequest == 0 ? 1 : hitsOfRequest);
  }

  /**
   * The descriptor as a request for rules of Weir's own form: its entries are attributes, the first
   * of each key. A descriptor that only checks needs one permit.
   */
  public Request toRequest(long hitsOfRequest) {
    long cost = isPeek() ? 1 : cost(hitsOfRequest);
    return new Request() {
      @Override
      public @Nullable String attribute(String name) {
        for (Entry entry : entries) {
          if (entry.key().equals(name)) {
            return entry.value();
          }
        }
        return null;
      }

      @Override
      public long cost() {
        return cost;
      }
    };
  }
}
