package io.weir.server.gateway;

import static java.nio.charset.StandardCharsets.ISO_8859_1;

import io.weir.decision.DecisionListener;
import io.weir.decision.RuleOutcome;
import io.weir.rig.WebProxy;
import io.weir.rules.http.RequestTarget;
import io.weir.rules.match.CanonicalPath;
import io.weir.rules.match.MalformedRequestException;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * Sends the same bytes to a real proxy, directly and through a gateway. Compares the requests that
 * the gateway decided, those that the proxy received behind it, and those that it receives alone.
 *
 * <p>Each client has an address of its own, by which decisions and requests are found: no byte that
 * is sent can move a request to another case.
 *
 * <pre>
 *   client ──▶ gateway ──▶ proxy ──▶ recorder      decided = seen behind
 *   client ──────────────▶ proxy ──▶ recorder      decided = seen alone, up to a refusal
 * </pre>
 */
final class Http1Differential implements AutoCloseable {
  private static final String RULES =
      """
      rules:
        - { name: refused, match: { path: /refused/** }, per: [ ip, method, path ], limit: 0 per hour }
        - { name: allowed, per: [ ip, method, path ], limit: 1000000 per second }
      """;

  /**
   * Of {@code close} and {@code keep-alive} in HTTP/1.0, nginx obeys one and RFC 9112 the other.
   */
  private static final Pattern DISPUTED_CLOSE =
      Pattern.compile("HTTP/1\\.0\r\n.*\\bclose\\b", Pattern.DOTALL | Pattern.CASE_INSENSITIVE);

  private final Recorder behind = new Recorder();
  private final Recorder alone = new Recorder();
  private final RecordedProxy upstream;
  private final RecordedProxy peer;
  private final GatewayFixture gatewayFixture;
  private final Map<String, List<Decided>> decisions = new ConcurrentHashMap<>();

  /** A request that the gateway has decided. */
  private record Decided(String method, String path, boolean isAllowed) {
    boolean isSame(Recorder.Seen seen) {
      return method.equals(counted(seen.method())) && path.equals(pathOf(seen.target()));
    }
  }

  /**
   * The difference that a case has shown.
   *
   * @param difference in words; null: there is none
   * @param isAccepted whether the gateway found nothing to refuse but what rules refuse
   */
  record Result(@Nullable String difference, boolean isAccepted, boolean isSilent) {}

  Http1Differential(WebProxy kind) throws IOException {
    upstream = new RecordedProxy(kind, behind);
    peer = new RecordedProxy(kind, alone);
    DecisionListener decisionListener =
        (rule, key, override, ruleOutcome, decision) -> {
          String[] parts = key.split("\\|", 3);
          decisions
              .computeIfAbsent(parts[0], none -> new CopyOnWriteArrayList<>())
              .add(new Decided(counted(parts[1]), parts[2], ruleOutcome == RuleOutcome.ALLOWED));
        };
    gatewayFixture =
        new GatewayFixture.Builder(RULES)
            .upstream(upstream.url())
            .witness(decisionListener)
            .build();
  }

  /** HEAD counts as GET. */
  private static String counted(String method) {
    return method.equals("HEAD") ? "GET" : method;
  }

  /** As rules see it; HAProxy passes an absolute target on as it is. */
  private static String pathOf(String target) {
    String path = target.replaceFirst("(?i)^https?://[^/?#]*", "");
    try {
      return CanonicalPath.of(
          RequestTarget.path(RequestTarget.of(path.startsWith("/") ? path : "/" + path)));
    } catch (MalformedRequestException e) {
      return target;
    }
  }

  /**
   * Sends a case both ways.
   *
   * @param client an address of this machine that no other case uses
   */
  Result compare(String client, byte[] bytes, int silenceMillis) throws IOException {
    RawExchange ours = RawExchange.with(gatewayFixture.port(), client, bytes, silenceMillis);
    RawExchange theirs = RawExchange.with(peer.port(), client, bytes, silenceMillis);
    List<Decided> decided = List.copyOf(decisions.getOrDefault(client, List.of()));
    String difference = behind(decided, ours, behind.of(client));
    if (difference == null) {
      boolean isDisputed = DISPUTED_CLOSE.matcher(new String(bytes, ISO_8859_1)).find();
      difference = alone(decided, ours, theirs, alone.of(client), isDisputed);
    }
    boolean isSilent =
        ours.end() == RawExchange.End.SILENT || theirs.end() == RawExchange.End.SILENT;
    if (difference != null) {
      difference +=
          "\n  decided:     %s\n  ours:        %s\n  seen behind: %s\n  theirs:      %s\n  seen alone:  %s"
              .formatted(decided, ours, behind.of(client), theirs, alone.of(client));
    }
    return new Result(difference, isAccepted(ours), isSilent);
  }

  private static boolean isAccepted(RawExchange ours) {
    return ours.end() == RawExchange.End.CLOSED
        && ours.responses().stream()
            .allMatch(each -> each.seen() != null || each.status() == 429 || each.status() == 204);
  }

  /** Whether the decided requests, the responses and the forwarded requests match. */
  private static @Nullable String behind(
      List<Decided> decided, RawExchange ours, List<Recorder.Seen> seen) {
    List<RawExchange.Response> responses = answersToRequests(ours);
    List<Recorder.Seen> answered = new ArrayList<>();
    for (int i = 0; i < responses.size(); i++) {
      RawExchange.Response response = responses.get(i);
      boolean isLast = i == responses.size() - 1;
      if (response.seen() != null) {
        answered.add(response.seen());
      }
      if (i >= decided.size()) {
        if (!isLast || response.seen() != null || response.status() < 400) {
          return "a response to a request that was not decided";
        }
      } else if (decided.get(i).isAllowed() == (response.status() == 429)) {
        return "the response is not what was decided";
      } else if (response.seen() != null && !decided.get(i).isSame(response.seen())) {
        return "the upstream has seen another request than was decided";
      }
    }
    if (decided.size() > responses.size() + 1
        || decided.size() > responses.size() && ours.end() == RawExchange.End.CLOSED) {
      return "a decided request got no response";
    }
    int more = seen.size() - answered.size();
    if (more < 0 || !seen.subList(0, answered.size()).equals(answered)) {
      return "the responses are not those of the requests that the upstream has seen";
    }
    boolean mayBeUnanswered =
        !decided.isEmpty()
            && more == 1
            && decided.get(decided.size() - 1).isSame(seen.get(seen.size() - 1));
    return more == 0 || mayBeUnanswered ? null : "the upstream has seen more than was decided";
  }

  /** The gateway itself responds to a ping without a path, and does not decide it. */
  private static List<RawExchange.Response> answersToRequests(RawExchange exchange) {
    return exchange.responses().stream().filter(each -> each.status() != 204).toList();
  }

  /**
   * Whether the proxy alone has seen the same, as far as neither of both refused to go on.
   *
   * @param mayClose whether the gateway may close where the proxy does not
   */
  private static @Nullable String alone(
      List<Decided> decided,
      RawExchange ours,
      RawExchange theirs,
      List<Recorder.Seen> seen,
      boolean mayClose) {
    List<RawExchange.Response> mine = answersToRequests(ours);
    List<RawExchange.@Nullable Response> others = new ArrayList<>(theirs.responses());
    if (theirs.end() == RawExchange.End.RESET) { // not all responses may have come
      others.clear();
      seen.forEach(each -> others.add(new RawExchange.Response(200, each, false)));
    }
    others.removeIf(each -> each.seen() != null && each.seen().target().equals("*"));
    for (int i = 0; i < Math.min(decided.size(), others.size()); i++) {
      Recorder.Seen other = others.get(i).seen();
      if (other == null) {
        continue; // refused by the proxy
      }
      if (!decided.get(i).isSame(other)) {
        return "the gateway has decided another request than the proxy sees";
      }
      Recorder.Seen own = i < mine.size() ? mine.get(i).seen() : null;
      if (own != null && (own.length() != other.length() || own.sum() != other.sum())) {
        return "the gateway has passed another body on than the proxy sees";
      }
    }
    boolean hasClosed = mayClose && ours.end() == RawExchange.End.CLOSED;
    if (decided.size() < others.size()
        && !hasRefused(ours)
        && !hasClosed
        && others.get(decided.size()).seen() != null) {
      return "the proxy sees more requests than the gateway";
    }
    boolean isWithinLast =
        theirs.end() == RawExchange.End.SILENT && decided.size() == others.size() + 1;
    if (decided.size() > others.size() && !hasRefused(theirs) && !isWithinLast) {
      return "the gateway has decided more requests than the proxy sees";
    }
    return null;
  }

  private static boolean hasRefused(RawExchange exchange) {
    List<RawExchange.Response> all = exchange.responses();
    RawExchange.@Nullable Response last = all.isEmpty() ? null : all.get(all.size() - 1);
    return exchange.end() == RawExchange.End.RESET
        || last == null && exchange.end() == RawExchange.End.CLOSED
        || last != null && last.status() >= 400 && exchange.end() == RawExchange.End.CLOSED;
  }

  @Override
  public void close() throws IOException {
    gatewayFixture.close();
    upstream.close();
    peer.close();
    behind.close();
    alone.close();
  }
}
