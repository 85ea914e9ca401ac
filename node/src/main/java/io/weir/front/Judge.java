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
 * Checks the requests of an application that embeds Weir. Thread-safe.
 *
 * <p>The decision of the rules is applied, including their {@code on_failure} policy. If Weir
 * itself fails because of a bug, the rules that would have applied are unknown. Then the request is
 * refused if a rule that may apply to it fails closed. Otherwise the request goes on: a bug in the
 * rate limiter must not stop the application. At most one line a minute is logged.
 */
public final class Judge {
  /** A store responds or times out long before this, by its own deadline. */
  private static final long LONGEST_SECONDS = 120;

  private final RareLog log = new RareLog("io.weir.front");
  private final Arbiter arbiter;
  private final Answers answers;
  private final Delays delays;
  private final @Nullable Predicate<Rule> scope;

  /** Checks by the rules of {@code node}. */
  public Judge(Node node, HeaderStyle style) {
    this(node, style, null);
  }

  /**
   * Checks by some of the rules of {@code node}.
   *
   * @param scope which rules; null: all. With a scope, {@link #parts} must count the request
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
   * Charges a request. Never throws; pass the result to {@link #step}.
   *
   * @param request is called once; it may throw
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
   * Returns the counter for a request that several judges of one node check, one after the other.
   *
   * @param before the counter so far; null: none
   */
  public RequestInParts parts(@Nullable RequestInParts before) {
    RequestTally requests = arbiter.tally().requests(FrontEnd.APPLICATION);
    return before != null && before.isOf(requests) ? before : new RequestInParts(requests);
  }

  /**
   * Replaces the ruling if the check failed.
   *
   * @param request null if the request could not be read
   */
  private record Unjudged(Throwable cause, @Nullable Request request) {}

  /**
   * Waits in this thread until {@code asked} is complete. An interruption is deferred, because the
   * wait takes milliseconds.
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
        break; // step reports the failure
      }
    }
    if (isInterrupted) {
      Thread.currentThread().interrupt();
    }
  }

  /**
   * What to do with a request that was passed to {@link #ask}. Throws only what {@code accept}
   * throws.
   *
   * @param accept the request's {@code Accept}; null if it has none
   */
  public Step step(CompletableFuture<?> asked, @Nullable String accept) {
    return step(asked, () -> accept, null);
  }

  /**
   * {@link #step(CompletableFuture, String)} for a request that other rules checked before.
   *
   * @param accept returns the request's {@code Accept}; called only for a refusal
   * @param before the earlier rulings, which the response reports too; null: none
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
      throw new IllegalStateException("no decision within " + LONGEST_SECONDS + " s");
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

  /** A refusal stays a refusal, even if its response cannot be built as configured. */
  private Answer refusal(Ruling ruling, Supplier<@Nullable String> accept) {
    try {
      return answers.refusal(ruling, accept.get());
    } catch (RuntimeException | Error e) {
      log.log(
          System.Logger.Level.ERROR, "a refusal response could not be built, so a 503 is sent", e);
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
          "a request could not be checked and goes on without limits",
          unjudged.cause());
      return counted(Step.Pass.UNLIMITED, Step.Pass.UNLIMITED.ruling());
    }
    log.log(
        System.Logger.Level.ERROR,
        "a request could not be checked and is refused, because rule '"
            + closed.name()
            + "' has on_failure: "
            + closed.policy().onFailure().name().toLowerCase(Locale.ROOT),
        unjudged.cause());
    Ruling no = refused(closed);
    return counted(new Step.Refused(refusal(no, accept), no), no);
  }

  /** Counts a request that the arbiter did not count, because it failed. */
  private Step counted(Step step, Ruling ruling) {
    if (scope == null) {
      arbiter.tally().requests(FrontEnd.APPLICATION).count(ruling);
    }
    return step;
  }

  /** Finds a rule that fails closed and may apply to this request. */
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
