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
 * Answers to GET, for the one who got them: private in the words of RFC 9111, so that {@code
 * private} may be kept and {@code s-maxage} means nothing. Who asks as another has others. Bounded
 * in bytes, with all that tells them apart; what was not asked for the longest time goes first.
 */
public final class ResponseCache {
  private static final int MOST_VARIANTS = 8;

  private final long mostBytes;
  private final Map<Key, List<Entry>> entries = new LinkedHashMap<>(16, 0.75f, true);
  private long bytes;

  /** An empty one. */
  public ResponseCache(long mostBytes) {
    this.mostBytes = mostBytes;
  }

  private record Key(URI uri, String owner) {
    /** About the bytes of memory that it takes, with each answer: an address keeps its parts. */
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
   * What there is for a request, good or to be validated.
   *
   * @param owner whatever tells those apart who ask
   */
  public synchronized Optional<Kept> find(HttpRequest request, String owner) {
    return entries.getOrDefault(new Key(request.uri(), owner), List.of()).stream()
        .filter(entry -> entry.matches(request))
        .findFirst()
        .map(Kept::new);
  }

  /** Keeps an answer, if that is allowed and of use. */
  public void store(
      HttpRequest request, String owner, Answer answer, Instant asked, Instant received) {
    Optional<Entry> entry = Entry.of(request, answer, asked, received);
    synchronized (this) {
      remove(request, owner);
      entry.ifPresent(each -> add(request, owner, each));
    }
  }

  /** A 304 came: what was kept is good again. */
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

  /** Something at this address was changed: nothing of it is good any more, for anybody. */
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

  /** The bytes that are in use. */
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
    if (key.with(entry) > mostBytes) { // all others would have to go for it
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

  /** An answer that is kept. */
  public static final class Kept {
    private final Entry entry;

    private Kept(Entry entry) {
      this.entry = entry;
    }

    /** What to give, if nobody need be asked; null otherwise. */
    public @Nullable Answer fresh(HttpRequest request, Instant now) {
      return entry.isFresh(request, now) ? entry.given(now) : null;
    }

    /** The request that asks whether it is still good; the same if there is no way to ask. */
    public HttpRequest validating(HttpRequest request) {
      return entry.isValidatable() ? entry.validating(request) : request;
    }
  }
}
