package io.weir.server.admin;

import io.vertx.core.http.HttpServerRequest;
import io.weir.arbiter.Arbiter;
import io.weir.rules.Rule;
import io.weir.rules.http.Json;
import io.weir.rules.match.MalformedRequestException;
import io.weir.seeing.Callers;
import io.weir.seeing.Chronicle;
import io.weir.seeing.Grain;
import io.weir.seeing.Holding;
import io.weir.seeing.Key;
import io.weir.seeing.Kind;
import io.weir.seeing.Ranked;
import io.weir.seeing.Watch;
import io.weir.seeing.Window;
import io.weir.server.http.Later;
import io.weir.server.http.Replies;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;

/**
 * {@code /v1/top} and {@code /v1/callers}: the most refused callers, and the requests of one of
 * them.
 */
final class CallerPages {
  private static final int MOST = 1000;
  private static final int USUAL = 20;
  private static final String OLD_REFUSED = "throttled"; // the former name of that kind

  private final Arbiter arbiter;
  private final Watch watch;
  private final Reveal reveal;

  CallerPages(Arbiter arbiter, Watch watch, Reveal reveal) {
    this.arbiter = arbiter;
    this.watch = watch;
    this.reveal = reveal;
  }

  /** The callers that were refused most, or would be, or are nearest to the limit. */
  void top(HttpServerRequest request) {
    Parameters asked = Parameters.of(request, "rule", "window", "kind", "limit", Reveal.PARAMETER);
    Window window = Window.valueOf(upper(asked.oneOf("window", "minute", names(Window.values()))));
    Kind kind = kind(asked);
    int limit = asked.number("limit", USUAL, 1, MOST);
    String rule = asked.text("rule");
    if (rule != null) {
      RuleFinder.known(rule, arbiter);
    }
    Boolean isRevealed = reveal.isAsked(request, asked.text(Reveal.PARAMETER));
    if (isRevealed != null) {
      Asked.orBusy(
          request,
          watch.watchman().ask(() -> new Top(watch.callers(), kind, window, rule, limit)),
          top -> {
            List<Key> keys = top.items.stream().map(Ranked::key).toList();
            reveal.note(isRevealed, keys, rule == null ? "all rules" : "rule " + rule, request);
            Pages.send(request, Pages.json(top.json(isRevealed)));
          });
    }
  }

  private static Kind kind(Parameters asked) {
    return OLD_REFUSED.equals(asked.text("kind"))
        ? Kind.REFUSED
        : Kind.valueOf(upper(asked.oneOf("kind", "refused", names(Kind.values()))));
  }

  /** The requests of one caller, and its present limit status. */
  void caller(HttpServerRequest request) {
    Parameters asked = Parameters.of(request, "rule", "id", "range", Reveal.PARAMETER);
    String label = RuleFinder.known(asked.text("rule"), arbiter);
    String id = asked.text("id");
    if (id == null) {
      throw new MalformedRequestException("'id' is missing: of a caller, as listed by /v1/top");
    }
    Grain range = grain(asked.oneOf("range", "5m", names(Grain.values())));
    Boolean isRevealed = reveal.isAsked(request, asked.text(Reveal.PARAMETER));
    if (isRevealed == null) {
      return;
    }
    Asked.orBusy(
        request,
        watch.watchman().ask(() -> Found.of(watch.callers(), label, id, range)),
        found -> {
          if (found.isEmpty()) {
            Replies.send(request, KeyPages.unknown());
          } else {
            reveal.note(isRevealed, List.of(found.get().key), "rule " + label, request);
            show(request, label, found.get(), range, isRevealed);
          }
        });
  }

  private void show(
      HttpServerRequest request, String label, Found found, Grain range, boolean isRevealed) {
    Key key = found.key;
    Optional<Rule> rule = RuleFinder.perhaps(label, arbiter);
    CompletionStage<Optional<Standings>> state =
        rule.filter(any -> key.isWhole())
            .map(one -> standings(one, found))
            .map(told -> told.thenApply(Optional::of))
            .orElse(CompletableFuture.completedFuture(Optional.empty()));
    String shown = Reveal.shown(key, isRevealed);
    Later.answer(
        request,
        state,
        standings -> {
          Json page = new Json().open().text("rule", label);
          page.text("id", key.id()).text("key", shown);
          page.text("mode", rule.map(one -> one.policy().mode().toString()).orElse("enforce"));
          page.text("range", range.toString()).number("step_ms", range.stepMillis());
          addChronicle(page, found.chronicle.orElse(null), range);
          Optional<Standings> known = standings.filter(each -> !each.isAway());
          if (known.isPresent()) {
            page.raw("state", known.get().json(shown));
          } else {
            page.nothing("state");
          }
          page.text("no_state", known.isPresent() ? null : stateless(key, rule.isPresent()));
          page.number("sampling", found.sampling).text("error", found.error());
          Pages.send(request, Pages.json(page.close().toString()));
        });
  }

  private CompletionStage<Standings> standings(Rule rule, Found found) {
    Limits limits = Limits.of(rule, arbiter);
    String key = found.key.kept();
    return Standings.of(
        limits,
        Holding.of(rule, arbiter.applying(rule, key), found.seen, arbiter.buckets(rule, key)));
  }

  /** The reason why the limit status of a caller is unknown. */
  private static String stateless(Key key, boolean isOfOneRule) {
    if (!isOfOneRule) {
      return "several limits are counted under this name: the rule of these buckets is unknown";
    }
    return key.isWhole() ? "the store is unavailable" : "its key is too long to be kept";
  }

  /** Slots that were over before the recording began are unknown: null. */
  private static void addChronicle(Json page, @Nullable Chronicle told, Grain range) {
    if (told == null) {
      page.nothing("start").nothing("end");
      page.open("asked", '[').end(']').open("refused", '[').end(']').nothing("since");
      return;
    }
    page.number("start", told.startMillis()).number("end", told.endMillis());
    addSlots(page, "asked", told.asked(), told, range);
    addSlots(page, "refused", told.refused(), told, range);
    page.number("since", told.sinceMillis());
  }

  private static void addSlots(Json page, String name, int[] slots, Chronicle told, Grain range) {
    page.open(name, '[');
    for (int i = 0; i < slots.length; i++) {
      boolean isKnown = told.startMillis() + (i + 1) * range.stepMillis() > told.sinceMillis();
      page.raw(isKnown ? Integer.toString(slots[i]) : "null");
    }
    page.end(']');
  }

  static Grain grain(String name) {
    return Grain.of(name).orElseThrow();
  }

  private static String upper(String name) {
    return name.toUpperCase(Locale.ROOT);
  }

  static List<String> names(Object[] values) {
    return Arrays.stream(values).map(Object::toString).toList();
  }

  /** A caller that was found, and what was recorded of it. */
  private record Found(Key key, List<String> seen, Optional<Chronicle> chronicle, int sampling) {
    static Optional<Found> of(Callers callers, String label, String id, Grain range) {
      return callers
          .find(label, id)
          .map(
              key ->
                  new Found(
                      key,
                      callers.limitsOf(label, key),
                      callers.chronicle(label, key, range),
                      callers.thinnest(range)));
    }

    private String error() {
      return sampling == 1
          ? "every decision was looked at"
          : "one decision in "
              + sampling
              + " was looked at, and stands for as many: counts are estimates";
    }
  }

  /** A ranking, computed on the aggregation thread. */
  private static final class Top {
    private final Kind kind;
    private final Window window;
    private final List<Ranked> items;
    private final int sampling;
    private final int places;

    Top(Callers callers, Kind kind, Window window, @Nullable String rule, int limit) {
      this.kind = kind;
      this.window = window;
      this.items = callers.top(kind, window, rule, limit);
      this.sampling = callers.thinnest(window);
      this.places = callers.places();
    }

    String json(boolean isRevealed) {
      Json page = new Json().open().text("window", window.toString());
      page.text("kind", kind.toString()).open("items", '[');
      for (Ranked each : items) {
        page.begin('{').text("rule", each.rule()).text("override", each.override());
        page.text("id", each.key().id());
        page.text("key", Reveal.shown(each.key(), isRevealed));
        page.number("count", each.count()).number("at_most", each.atMost());
        page.number("last", each.last());
        page.raw("use", each.use() == null ? "null" : each.use().toString()).close();
      }
      page.end(']').number("sampling", sampling);
      return page.text("error", error()).close().toString();
    }

    private String error() {
      String places =
          "each rule's list has "
              + this.places
              + " places: count is at least, at_most at most what was seen";
      return sampling == 1
          ? places
          : places + "; one decision in " + sampling + " was looked at, and stands for as many";
    }
  }
}
