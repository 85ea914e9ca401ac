package io.weir.server.rls;

import io.weir.rules.envoy.Descriptor;
import io.weir.rules.envoy.DescriptorRequest;
import io.weir.rules.envoy.LimitOverride;
import io.weir.rules.match.MalformedRequestException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import org.jspecify.annotations.Nullable;

/**
 * Builds a rate limit request from its parts, in whichever format they arrive, and checks the
 * bounds.
 */
final class RlsRequestBuilder {
  /** The most descriptors of a request. */
  static final int MAX_DESCRIPTORS = 100;

  /** The most entries of a descriptor. */
  static final int MAX_ENTRIES = 32;

  /** The longest domain and the longest key, in bytes. */
  static final int MAX_NAME_BYTES = 1024;

  /** The longest value, in bytes. */
  static final int MAX_VALUE_BYTES = 16 * 1024;

  /** More than any limit can give; a larger number has no further effect. */
  private static final long MAX_HITS = 0xFFFF_FFFFL;

  private final List<Descriptor> descriptors = new ArrayList<>(4);
  private final List<Descriptor.Entry> entries = new ArrayList<>(4);
  private String domain = "";
  private long hits;
  private @Nullable LimitOverride limit;
  private OptionalLong ownHits = OptionalLong.empty();
  private boolean isNegative;

  void domain(String name) {
    domain = name;
  }

  void hits(long number) {
    hits = number;
  }

  /** Adds an entry to the current descriptor. */
  void entry(String key, String value) {
    if (entries.size() == MAX_ENTRIES) {
      throw tooMany("a descriptor", MAX_ENTRIES, "entries");
    }
    entries.add(new Descriptor.Entry(key, value));
  }

  /** Sets a limit override of the current descriptor. */
  void limit(long requestsPerUnit, EnvoyUnit envoyUnit) {
    limit = new LimitOverride(requestsPerUnit, envoyUnit.name());
  }

  /** Sets the hits of the current descriptor; all 64 bits count. */
  void ownHits(long number) {
    ownHits = OptionalLong.of(number < 0 ? MAX_HITS : Math.min(number, MAX_HITS));
  }

  /** Sets whether the current descriptor refunds its hits. */
  void isNegative(boolean is) {
    isNegative = is;
  }

  /** Ends the current descriptor. */
  void descriptor() {
    if (descriptors.size() == MAX_DESCRIPTORS) {
      throw tooMany("a request", MAX_DESCRIPTORS, "descriptors");
    }
    descriptors.add(new Descriptor(entries, Optional.ofNullable(limit), ownHits, isNegative));
    entries.clear();
    limit = null;
    ownHits = OptionalLong.empty();
    isNegative = false;
  }

  private static MalformedRequestException tooMany(String what, int max, String parts) {
    return new MalformedRequestException(what + " may have " + max + " " + parts + ", not more");
  }

  /** Returns the request. */
  DescriptorRequest build() {
    if (domain.isEmpty()) {
      throw new MalformedRequestException("rate limit domain must not be empty");
    }
    if (descriptors.isEmpty()) {
      throw new MalformedRequestException("rate limit descriptor list must not be empty");
    }
    return new DescriptorRequest(domain, descriptors, hits);
  }
}
