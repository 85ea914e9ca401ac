package io.weir.front;

import io.weir.Decision;
import io.weir.Limit;
import io.weir.OnFailure;
import io.weir.arbiter.Arbiter;
import io.weir.arbiter.Delays;
import io.weir.arbiter.FrontEnd;
import io.weir.arbiter.RequestTally;
import io.weir.logs.RareLog;
import io.weir.node.Node;
import io.weir.rules.Held;
import io.weir.rules.Policy;
import io.weir.rules.Request;
import io.weir.rules.Rule;
import io.weir.rules.Ruling;
import io.weir.rules.Verdict;
import io.weir.rules.http.Answer;
import io.weir.rules.http.Answers;
import io.weir.rules.http.HeaderStyle;
import io.weir.rules.match.MalformedRequestException;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Predicate;
import java.util.function.Supplier;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Judges the requests of an application that Weir is only a guest of.
 *
 * <p>What the rules say is done, also what they say of a store that is away. Where Weir itself
 * fails, which would be a mistake in it, nobody knows which rules would have applied: if one of
 * them says no without its store, so is said here; else the request goes on, since an application
 * does not stop because of who counts its requests. A line is logged, one a minute at most.
 */
public final class Judge {
  /** A store answers or gives up long before, by its own deadline. */
  private static final long LONGEST_SECONDS = 120;

  private final RareLog log = new RareLog("io.weir.front");
  private final Arbiter arbiter;
  private final Answers answers;
  private final Delays delays;
  private final @Nullable Predicate<Rule> scope;

  /** Judges by the rules of {@code node}. */
  public Judge(Node node, HeaderStyle style) {
    this(node, style, null);
  }

  /**
   * Judges by some of the rules of {@code node}.
   *
   * @param scope which; null: all of them. With one, a request is to be counted by {@link #parts}
   */
  public Judge(Node node, HeaderStyle style, @Nullable Predicate<Rule> scope) {
    this.scope = scope;
    this.arbiter =
        scope == null
            ? node.arbiter().at(FrontEnd.APPLICATION)
            : node.arbiter().at(FrontEnd.APPLICATION).inParts();
    this.answers = new Answers(style);
    this.delays = new Delays(arbiter);
  }

  /**
   * Charges a request. Never throws; what is returned is for {@link #step}.
   *
   * @param request is asked once; it may throw
   */
  public CompletableFuture<?> ask(Supplier<? extends Request> request) {
    Request read = null;
    try {
      read = scope == null ? request.get() : new Scoped(request.get(), scope);
      return (delays.arePossible() ? arbiter.hold(read) : arbiter.decide(read))
          .toCompletableFuture();
    } catch (RuntimeException | Error e) {
      return CompletableFuture.completedFuture(new Unjudged(e, read));
    }
  }

  /**
   * What counts a request of which several judges of one node are asked, one after the other.
   *
   * @param before what counts it so far; null: nothing
   */
  public RequestInParts parts(@Nullable RequestInParts before) {
    RequestTally requests = arbiter.tally().requests(FrontEnd.APPLICATION);
    return before != null && before.isOf(requests) ? before : new RequestInParts(requests);
  }

  /**
   * Instead of a ruling.
   *
   * @param request null if it could not even be read
   */
  private record Unjudged(Throwable cause, @Nullable Request request) {}

  /**
   * Waits until {@code asked} is complete, in this thread, whose interruption is put off: that is a
   * matter of milliseconds.
   */
  public void await(CompletableFuture<?> asked) {
    boolean isInterrupted = false;
    long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(LONGEST_SECONDS);
    while (!asked.isDone()) {
      try {
        asked.get(end - System.nanoTime(), TimeUnit.NANOSECONDS);
      } catch (InterruptedException e) {
        isInterrupted = true;
      } catch (ExecutionException | TimeoutException e) {
        break; // step finds out
      }
    }
    if (isInterrupted) {
      Thread.currentThread().interrupt();
    }
  }

  /**
   * What is to be done with a request that was {@linkplain #ask asked} about. Throws nothing but
   * what {@code accept} does.
   *
   * @param accept the request's {@code Accept}; null if it has none
   */
  public Step step(CompletableFuture<?> asked, @Nullable String accept) {
    return step(asked, () -> accept, null);
  }

  /**
   * {@link #step(CompletableFuture, String)} of a request that was judged by other rules before.
   *
   * @param accept tells the request's {@code Accept}; asked only where it does not go on
   * @param before what those said, which the response tells of too; null: there are none
   */
  public Step step(
      CompletableFuture<?> asked, Supplier<@Nullable String> accept, @Nullable Ruling before) {
    try {
      Object decided = asked.getNow(null);
      if (decided instanceof Held held) {
        return step(held.ruling(), held, accept, before);
      }
      if (decided instanceof Ruling ruling) {
        return step(ruling, null, accept, before);
      }
      if (decided instanceof Unjudged unjudged) {
        return failed(unjudged, accept);
      }
      throw new IllegalStateException("nothing was decided in " + LONGEST_SECONDS + " s");
    } catch (RuntimeException | Error e) {
      Throwable cause = e instanceof CompletionException && e.getCause() != null ? e.getCause() : e;
      return failed(new Unjudged(cause, null), accept);
    }
  }

  private Step step(
      Ruling ruling,
      @Nullable Held held,
      Supplier<@Nullable String> accept,
      @Nullable Ruling before) {
    Ruling all = before == null ? ruling : together(before, ruling);
    if (!ruling.allowed()) {
      return new Step.Refused(refusal(all, accept), ruling);
    }
    boolean isHeld = held != null && !ruling.delay().isZero();
    return new Step.Pass(answers.headers(all), isHeld ? held : null, all);
  }

  /** A no stays one, even if it cannot be told as it should. */
  private Answer refusal(Ruling ruling, Supplier<@Nullable String> accept) {
    try {
      return answers.refusal(ruling, accept.get());
    } catch (RuntimeException | Error e) {
      log.log(System.Logger.Level.ERROR, "a refusal could not be told, but as 503", e);
      return Answers.overloaded(1, null);
    }
  }

  private static Ruling together(Ruling before, Ruling now) {
    return Ruling.of(
        Stream.concat(before.verdicts().stream(), now.verdicts().stream()).toList(),
        Stream.concat(before.shadows().stream(), now.shadows().stream()).toList());
  }

  private Step failed(Unjudged unjudged, Supplier<@Nullable String> accept) {
    if (unjudged.cause() instanceof MalformedRequestException malformed) {
      String reason = String.valueOf(malformed.getMessage());
      return new Step.Malformed(Answers.badRequest(reason, accept.get()), reason);
    }
    Rule closed = closed(OnFailure.DENY, unjudged.request());
    closed = closed == null ? closed(OnFailure.ERROR, unjudged.request()) : closed;
    if (closed == null) {
      log.log(
          System.Logger.Level.ERROR,
          "a request could not be judged, and goes on without limits",
          unjudged.cause());
      return counted(Step.Pass.UNLIMITED, Step.Pass.UNLIMITED.ruling());
    }
    log.log(
        System.Logger.Level.ERROR,
        "a request could not be judged, and is refused, since rule '"
            + closed.name()
            + "' has on_failure: "
            + closed.policy().onFailure().name().toLowerCase(Locale.ROOT),
        unjudged.cause());
    Ruling no = refused(closed);
    return counted(new Step.Refused(refusal(no, accept), no), no);
  }

  /** What no arbiter has counted, since it failed. */
  private Step counted(Step step, Ruling ruling) {
    if (scope == null) {
      arbiter.tally().requests(FrontEnd.APPLICATION).count(ruling);
    }
    return step;
  }

  /** A rule that says no without its store, and may be for this request. */
  private @Nullable Rule closed(OnFailure how, @Nullable Request request) {
    for (Rule rule : arbiter.rules().rules()) {
      if (rule.policy().mode() == Policy.Mode.ENFORCE
          && rule.policy().onFailure() == how
          && (scope == null || scope.test(rule))
          && (request == null || request.concerns(rule))
          && !limits(rule).isEmpty()) {
        return rule;
      }
    }
    return null;
  }

  private Ruling refused(Rule rule) {
    Decision no = Decision.onFailure(false, 1, limits(rule), arbiter.nowMillis());
    return Ruling.of(List.of(Verdict.of(rule, "", no)), List.of());
  }

  private static List<Limit> limits(Rule rule) {
    return Stream.concat(
            rule.limits().stream(),
            rule.variants().stream().flatMap(variant -> variant.limits().stream()))
        .toList();
  }
}
