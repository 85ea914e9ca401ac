package io.weir.client.cache;

import java.net.URI;
import java.net.http.HttpHeaders;
import java.net.http.HttpRequest;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Caches responses to GET for each caller. It is a private cache in the terms of RFC 9111: {@code
 * private} responses may be stored and {@code s-maxage} is ignored. Callers with different
 * identities have separate entries. Bounded in bytes, keys included; the least recently used entry
 * is evicted first. Thread-safe.
 */
public final class ResponseCache {
  private static final int MAX_VARIANTS = 8;

  private final long mostBytes;
  private final Map<Key, List<CacheEntry>> entries = new LinkedHashMap<>(16, 0.75f, true);
  private long bytes;

  /** An empty cache of at most this many bytes. */
  public ResponseCache(long mostBytes) {
    this.mostBytes = mostBytes;
  }

  private record Key(URI uri, String owner) {
    /**
     * The approximate memory use in bytes. Counted for each response, since a parsed address keeps
     * its parts.
     */
    long size() {
      return 128 + 4L * uri.toString().length() + 2L * owner.length();
    }

    long with(CacheEntry cacheEntry) {
      return size() + cacheEntry.size();
    }

    long with(List<CacheEntry> variants) {
      return variants.stream().mapToLong(this::with).sum();
    }
  }

  /**
   * The entry for a request, fresh or to be validated.
   *
   * @param owner the identity of the caller
   */
  public synchronized Optional<CachedResponse> find(HttpRequest request, String owner) {
    return entries.getOrDefault(new Key(request.uri(), owner), List.of()).stream()
        .filter(cacheEntry -> cacheEntry.matches(request))
        .findFirst()
        .map(CachedResponse::new);
  }

  /** Stores a response, if that is allowed and useful. */
  public void store(
      HttpRequest request,
      String owner,
      BufferedResponse bufferedResponse,
      Instant sent,
      Instant received) {
    Optional<CacheEntry> cacheEntry = CacheEntry.of(request, bufferedResponse, sent, received);
    synchronized (this) {
      remove(request, owner);
      cacheEntry.ifPresent(each -> add(request, owner, each));
    }
  }

  /** Updates an entry after a 304 and returns the response to deliver. */
  public BufferedResponse validated(
      HttpRequest request,
      String owner,
      CachedResponse cachedResponse,
      HttpHeaders headers,
      Instant sent,
      Instant received) {
    CacheEntry again = cachedResponse.cacheEntry.validated(headers, sent, received);
    synchronized (this) {
      remove(request, owner);
      add(request, owner, again);
    }
    return again.given(received);
  }

  /** Removes all entries of an address that was changed, for all callers. */
  public synchronized void forget(URI uri) {
    for (Iterator<Map.Entry<Key, List<CacheEntry>>> all = entries.entrySet().iterator();
        all.hasNext(); ) {
      Map.Entry<Key, List<CacheEntry>> each = all.next();
      if (each.getKey().uri().equals(uri)) {
        bytes -= each.getKey().with(each.getValue());
        all.remove();
      }
    }
  }

  /** The bytes in use. */
  synchronized long bytes() {
    return bytes;
  }

  private void remove(HttpRequest request, String owner) {
    Key key = new Key(request.uri(), owner);
    List<CacheEntry> variants = entries.get(key);
    if (variants != null) {
      bytes -= key.with(variants);
      variants.removeIf(cacheEntry -> cacheEntry.matches(request));
      bytes += key.with(variants);
      if (variants.isEmpty()) {
        entries.remove(key);
      }
    }
  }

  private void add(HttpRequest request, String owner, CacheEntry cacheEntry) {
    Key key = new Key(request.uri(), owner);
    if (key.with(cacheEntry) > mostBytes) { // it would evict everything else
      return;
    }
    List<CacheEntry> variants = entries.computeIfAbsent(key, any -> new ArrayList<>());
    variants.add(0, cacheEntry);
    bytes += key.with(cacheEntry);
    if (variants.size() > MAX_VARIANTS) {
      bytes -= key.with(variants.remove(variants.size() - 1));
    }
    for (Iterator<Map.Entry<Key, List<CacheEntry>>> all = entries.entrySet().iterator();
        bytes > mostBytes && all.hasNext(); ) {
      Map.Entry<Key, List<CacheEntry>> eldest = all.next();
      bytes -= eldest.getKey().with(eldest.getValue());
      all.remove();
    }
  }

  /** A cached response. */
  public static final class CachedResponse {
    private final CacheEntry cacheEntry;

    private CachedResponse(CacheEntry cacheEntry) {
      this.cacheEntry = cacheEntry;
    }

    /** The response, if it needs no validation; otherwise null. */
    public @Nullable BufferedResponse fresh(HttpRequest request, Instant now) {
      return cacheEntry.isFresh(request, now) ? cacheEntry.given(now) : null;
    }

    /** The conditional request that validates it; the original one if there is no validator. */
    public HttpRequest validating(HttpRequest request) {
      return cacheEntry.isValidatable() ? cacheEntry.validating(request) : request;
    }
  }
}
