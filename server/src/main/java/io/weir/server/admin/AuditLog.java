package io.weir.server.admin;

import io.vertx.core.http.HttpServerRequest;
import io.vertx.core.net.SocketAddress;
import io.weir.insight.CallerKey;
import io.weir.logs.LogEntry;
import io.weir.rules.Rule;
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
  private static final int MAX_CLIENTS = 256;
  private static final int MAX_IDS = 10_000;

  private final LongSupplier nowMillis;
  private final Map<String, Shown> recent = new LinkedHashMap<>();

  AuditLog(LongSupplier nowMillis) {
    this.nowMillis = nowMillis;
  }

  void changed(String what, Rule rule, CallerKey callerKey, HttpServerRequest by) {
    String client = String.valueOf(by.remoteAddress());
    String caller =
        callerKey.kept().isEmpty() // one bucket for all
            ? "the one bucket"
            : "key " + callerKey.printed() + ", id " + callerKey.id();
    log(
        LogEntry.of(
                "%s: rule %s, domain %s, %s, by %s"
                    .formatted(what, rule.name(), rule.domain(), caller, client))
            .with("what", what)
            .with("rule", rule.name())
            .with("domain", rule.domain())
            .with("key", callerKey.printed())
            .with("id", callerKey.id())
            .with("by", host(by.remoteAddress())));
  }

  /**
   * Logs that keys were shown in full.
   *
   * @param of the rules, in words
   */
  synchronized void revealed(List<CallerKey> callerKeys, String of, HttpServerRequest to) {
    String client = host(to.remoteAddress());
    Shown before = recent.get(client);
    if (before != null && before.ids.containsAll(callerKeys.stream().map(CallerKey::id).toList())) {
      before.again++;
      return;
    }
    List<CallerKey> others = new ArrayList<>(callerKeys);
    if (before != null) {
      others.removeIf(callerKey -> before.ids.contains(callerKey.id()));
    }
    for (int from = 0; from < others.size(); from += NAMED) {
      logKeys(others.subList(from, Math.min(others.size(), from + NAMED)), of, client);
    }
    remember(client, before, others);
  }

  private static void logKeys(List<CallerKey> callerKeys, String of, String client) {
    log(
        LogEntry.of(
                "reveal: %s of %s: %s, to %s"
                    .formatted(count(callerKeys), of, names(callerKeys), client))
            .with("what", "reveal")
            .with("keys", callerKeys.size())
            .with("ids", callerKeys.stream().map(CallerKey::id).toList())
            .with("of", of)
            .with("by", client));
  }

  private void remember(String client, @Nullable Shown before, List<CallerKey> callerKeys) {
    Shown shown = before == null ? new Shown(now() + TOGETHER_SECONDS) : before;
    if (shown.ids.size() + callerKeys.size() <= MAX_IDS) { // beyond that, callers are logged again
      callerKeys.forEach(callerKey -> shown.ids.add(callerKey.id()));
    }
    if (before == null && recent.size() < MAX_CLIENTS) {
      recent.put(client, shown);
    }
  }

  /** Logs what was shown repeatedly, when its minute is over. */
  synchronized void second(long now) {
    Iterator<Map.Entry<String, Shown>> all = recent.entrySet().iterator();
    while (all.hasNext()) {
      Map.Entry<String, Shown> each = all.next();
      if (each.getValue().until <= now) {
        all.remove();
        logRepeats(each.getKey(), each.getValue());
      }
    }
  }

  private static void logRepeats(String client, Shown shown) {
    if (shown.again > 0) {
      log(
          LogEntry.of(
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

  private static void log(LogEntry logEntry) {
    logEntry.log(LOG, System.Logger.Level.INFO);
  }

  private static String host(@Nullable SocketAddress address) {
    return address == null ? "somebody" : String.valueOf(address.hostAddress());
  }

  private static String count(List<CallerKey> callerKeys) {
    return callerKeys.size() == 1 ? "1 key" : callerKeys.size() + " keys";
  }

  private static String names(List<CallerKey> callerKeys) {
    return callerKeys.stream()
        .map(callerKey -> callerKey.printed() + " (" + callerKey.id() + ")")
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
