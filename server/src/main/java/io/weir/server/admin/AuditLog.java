package io.weir.server.admin;

import io.vertx.core.http.HttpServerRequest;
import io.vertx.core.net.SocketAddress;
import io.weir.logs.Entry;
import io.weir.rules.Rule;
import io.weir.seeing.Key;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.LongSupplier;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * Logs manual changes, and which client was shown keys in full. Callers are identified by their ids
 * and the ends of their keys, never by a full key.
 *
 * <p>A page that shows keys requests them every few seconds. Keys shown again to the same client
 * within a minute are therefore counted, and logged in one line at the end of the minute. Callers
 * that it was not shown before are logged at once.
 */
final class AuditLog implements AutoCloseable {
  private static final System.Logger LOG = System.getLogger("io.weir.audit");
  private static final int NAMED = 50;
  private static final long TOGETHER_SECONDS = 60;
  private static final int MOST_CLIENTS = 256;
  private static final int MOST_IDS = 10_000;

  private final LongSupplier nowMillis;
  private final Map<String, Shown> lately = new LinkedHashMap<>();

  AuditLog(LongSupplier nowMillis) {
    this.nowMillis = nowMillis;
  }

  void changed(String what, Rule rule, Key key, HttpServerRequest by) {
    String client = String.valueOf(by.remoteAddress());
    String caller =
        key.kept().isEmpty() // one bucket for all
            ? "the one bucket"
            : "key " + key.printed() + ", id " + key.id();
    log(
        Entry.of(
                "%s: rule %s, domain %s, %s, by %s"
                    .formatted(what, rule.name(), rule.domain(), caller, client))
            .with("what", what)
            .with("rule", rule.name())
            .with("domain", rule.domain())
            .with("key", key.printed())
            .with("id", key.id())
            .with("by", host(by.remoteAddress())));
  }

  /**
   * Logs that keys were shown in full.
   *
   * @param of the rules, in words
   */
  synchronized void revealed(List<Key> keys, String of, HttpServerRequest to) {
    String client = host(to.remoteAddress());
    Shown before = lately.get(client);
    if (before != null && before.ids.containsAll(keys.stream().map(Key::id).toList())) {
      before.again++;
      return;
    }
    List<Key> others = new ArrayList<>(keys);
    if (before != null) {
      others.removeIf(key -> before.ids.contains(key.id()));
    }
    for (int from = 0; from < others.size(); from += NAMED) {
      tell(others.subList(from, Math.min(others.size(), from + NAMED)), of, client);
    }
    remember(client, before, others);
  }

  private static void tell(List<Key> keys, String of, String client) {
    log(
        Entry.of("reveal: %s of %s: %s, to %s".formatted(count(keys), of, names(keys), client))
            .with("what", "reveal")
            .with("keys", keys.size())
            .with("ids", keys.stream().map(Key::id).toList())
            .with("of", of)
            .with("by", client));
  }

  private void remember(String client, @Nullable Shown before, List<Key> keys) {
    Shown shown = before == null ? new Shown(now() + TOGETHER_SECONDS) : before;
    if (shown.ids.size() + keys.size() <= MOST_IDS) { // beyond that, callers are logged again
      keys.forEach(key -> shown.ids.add(key.id()));
    }
    if (before == null && lately.size() < MOST_CLIENTS) {
      lately.put(client, shown);
    }
  }

  /** Logs what was shown repeatedly, when its minute is over. */
  synchronized void second(long now) {
    Iterator<Map.Entry<String, Shown>> all = lately.entrySet().iterator();
    while (all.hasNext()) {
      Map.Entry<String, Shown> each = all.next();
      if (each.getValue().until <= now) {
        all.remove();
        tell(each.getKey(), each.getValue());
      }
    }
  }

  private static void tell(String client, Shown shown) {
    if (shown.again > 0) {
      log(
          Entry.of(
                  "reveal: the same keys %d %s more within %d s, to %s"
                      .formatted(
                          shown.again,
                          shown.again == 1 ? "time" : "times",
                          TOGETHER_SECONDS,
                          client))
              .with("what", "reveal")
              .with("times", shown.again)
              .with("by", client));
    }
  }

  /** Logs what has not been logged yet. */
  @Override
  public void close() {
    second(Long.MAX_VALUE);
  }

  private long now() {
    return Math.floorDiv(nowMillis.getAsLong(), 1000);
  }

  private static void log(Entry entry) {
    entry.log(LOG, System.Logger.Level.INFO);
  }

  private static String host(@Nullable SocketAddress address) {
    return address == null ? "somebody" : String.valueOf(address.hostAddress());
  }

  private static String count(List<Key> keys) {
    return keys.size() == 1 ? "1 key" : keys.size() + " keys";
  }

  private static String names(List<Key> keys) {
    return keys.stream()
        .map(key -> key.printed() + " (" + key.id() + ")")
        .collect(Collectors.joining(", "));
  }

  /** What one client was shown within a minute. */
  private static final class Shown {
    private final long until;
    private final Set<String> ids = new HashSet<>();
    private long again;

    Shown(long until) {
      this.until = until;
    }
  }
}
