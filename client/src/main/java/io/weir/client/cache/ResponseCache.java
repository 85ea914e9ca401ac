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
  private static final int MOST_VARIANTS = 8;

  private final long mostBytes;
  private final Map<Key, List<Entry>> entries = new LinkedHashMap<>(16, 0.75f, true);
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

    long with(Entry entry) {
      return size() + entry.size();
    }

    long with(List<Entry> variants) {
      return variants.stream().mapToLong(this::with).sum();
    }
  }

  /**
   * The entry for a request, fresh or to be validated.
   *
   * @param owner the identity of the caller
   */
  public synchronized Optional<Kept> find(HttpRequest request, String owner) {
    return entries.getOrDefault(new Key(request.uri(), owner), List.of()).stream()
        .filter(entry -> entry.matches(request))
        .findFirst()
        .map(Kept::new);
  }

  /** Stores a response, if that is allowed and useful. */
  public void store(
      HttpRequest request, String owner, Answer answer, Instant asked, Instant received) {
    Optional<Entry> entry = Entry.of(request, answer, asked, received);
    synchronized (this) {
      remove(request, owner);
      entry.ifPresent(each -> add(request, owner, each));
    }
  }

  /** Updates an entry after a 304 and returns the response to deliver. */
  public Answer validated(
      HttpRequest request,
      String owner,
      Kept kept,
      HttpHeaders told,
      Instant asked,
      Instant received) {
    Entry again = kept.entry.validated(told, asked, received);
    synchronized (this) {
      remove(request, owner);
      add(request, owner, again);
    }
    return again.given(received);
  }

  /** Removes all entries of an address that was changed, for all callers. */
  public synchronized void forget(URI uri) {
    for (Iterator<Map.Entry<Key, List<Entry>>> all = entries.entrySet().iterator();
        all.hasNext(); ) {
      Map.Entry<Key, List<Entry>> each = all.next();
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
    List<Entry> variants = entries.get(key);
    if (variants != null) {
      bytes -= key.with(variants);
      variants.removeIf(entry -> entry.matches(request));
      bytes += key.with(variants);
      if (variants.isEmpty()) {
        entries.remove(key);
      }
    }
  }

  private void add(HttpRequest request, String owner, Entry entry) {
    Key key = new Key(request.uri(), owner);
    if (key.with(entry) > mostBytes) { // it would evict everything else
      return;
    }
    List<Entry> variants = entries.computeIfAbsent(key, any -> new ArrayList<>());
    variants.add(0, entry);
    bytes += key.with(entry);
    if (variants.size() > MOST_VARIANTS) {
      bytes -= key.with(variants.remove(variants.size() - 1));
    }
    for (Iterator<Map.Entry<Key, List<Entry>>> all = entries.entrySet().iterator();
        bytes > mostBytes && all.hasNext(); ) {
      Map.Entry<Key, List<Entry>> eldest = all.next();
      bytes -= eldest.getKey().with(eldest.getValue());
      all.remove();
    }
  }

  /** A cached response. */
  public static final class Kept {
    private final Entry entry;

    private Kept(Entry entry) {
      this.entry = entry;
    }

    /** The response, if it needs no validation; otherwise null. */
    public @Nullable Answer fresh(HttpRequest request, Instant now) {
      return entry.isFresh(request, now) ? entry.given(now) : null;
    }

    /** The conditional request that validates it; the original one if there is no validator. */
    public HttpRequest validating(HttpRequest request) {
      return entry.isValidatable() ? entry.validating(request) : request;
    }
  }
}
