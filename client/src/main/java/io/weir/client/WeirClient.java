package io.weir.client;

import io.weir.client.pace.Clockwork;
import java.io.IOException;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandler;
import java.time.Duration;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ThreadLocalRandom;
import java.util.function.Function;
import java.util.function.Predicate;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;

/**
 * An {@link HttpClient} that keeps to the limits of the servers it calls.
 *
 * <pre>{@code
 * WeirClient client = WeirClient.create();
 * HttpResponse<String> response = client.send(request, BodyHandlers.ofString());
 * }</pre>
 *
 * <p>It reads what servers say of limits and holds requests back before they would be refused;
 * those that are refused all the same go again when they may. It gives up with a {@link
 * RateLimitedException}, at once if it can be foreseen. Requests that may be sent twice go again
 * after failures, too, with growing pauses at random and within a budget.
 *
 * <p>One instance is for all threads and for all that the process calls: what it knows of limits,
 * it knows for itself. It has no threads of its own but a few for all instances, that count the
 * time; no request keeps one while it waits.
 */
public final class WeirClient {
  private final Engine engine;
  private final Sharing sharing;

  private WeirClient(Engine engine) {
    this.engine = engine;
    sharing = new Sharing(engine);
  }

  /** A client with the settings that are usual. */
  public static WeirClient create() {
    return builder().build();
  }

  /** A client with settings. */
  public static Builder builder() {
    return new Builder();
  }

  /**
   * Sends a request and waits for its answer.
   *
   * @throws RateLimitedException if the server refuses it, or would, for longer than it may wait
   */
  public <T> HttpResponse<T> send(HttpRequest request, BodyHandler<T> handler)
      throws IOException, InterruptedException {
    return await(sendAsync(request, handler));
  }

  /**
   * Sends a request and waits for its answer, not longer than {@code deadline} in all: waiting,
   * every attempt, and the body as far as the handler reads it.
   *
   * @throws RateLimitedException if the server refuses it, or would, for longer than it may wait
   * @throws java.net.http.HttpTimeoutException if there was no answer by then
   */
  public <T> HttpResponse<T> send(HttpRequest request, BodyHandler<T> handler, Duration deadline)
      throws IOException, InterruptedException {
    return await(sendAsync(request, handler, deadline));
  }

  /** Sends a request. To cancel the future ends it. */
  public <T> CompletableFuture<HttpResponse<T>> sendAsync(
      HttpRequest request, BodyHandler<T> handler) {
    return start(request, handler, engine.settings().deadline());
  }

  /** Sends a request that has to be answered within {@code deadline}. */
  public <T> CompletableFuture<HttpResponse<T>> sendAsync(
      HttpRequest request, BodyHandler<T> handler, Duration deadline) {
    return start(request, handler, Checks.positive("deadline", deadline));
  }

  private <T> CompletableFuture<HttpResponse<T>> start(
      HttpRequest request, BodyHandler<T> handler, @Nullable Duration deadline) {
    Objects.requireNonNull(request, "request");
    Objects.requireNonNull(handler, "handler");
    Settings settings = engine.settings();
    Deadline end = Deadline.after(deadline, engine.time());
    return settings.coalesces() || settings.cacheBytes() > 0
        ? sharing.send(request, handler, end)
        : Call.start(engine, request, handler, end);
  }

  private static <T> HttpResponse<T> await(CompletableFuture<HttpResponse<T>> future)
      throws IOException, InterruptedException {
    try {
      return future.get();
    } catch (InterruptedException e) {
      future.cancel(true);
      throw e;
    } catch (ExecutionException e) {
      if (e.getCause() instanceof IOException failure) {
        throw failure;
      }
      if (e.getCause() instanceof RuntimeException failure) {
        throw failure;
      }
      if (e.getCause() instanceof Error failure) {
        throw failure;
      }
      throw new IOException(e.getCause());
    }
  }

  /** How a client is put together. What is not set is as {@code docs/client.md} has it. */
  public static final class Builder {
    private @Nullable HttpClient http;
    private @Nullable Clockwork time;
    private boolean paced = Settings.DEFAULT.paced();
    private Function<HttpRequest, String> scope = Settings.DEFAULT.scope();
    private Duration longestWait = Settings.DEFAULT.longestWait();
    private @Nullable Duration deadline;
    private int attempts = Settings.DEFAULT.attempts();
    private Duration firstBackoff = Settings.DEFAULT.firstBackoff();
    private Duration longestBackoff = Settings.DEFAULT.longestBackoff();
    private double retryPart = Settings.DEFAULT.retryPart();
    private double retriesASecond = Settings.DEFAULT.retriesASecond();
    private boolean retriesAnyRefused = Settings.DEFAULT.retriesAnyRefused();
    private Predicate<HttpRequest> repeatable = Settings.DEFAULT.repeatable();

    private boolean coalesces = Settings.DEFAULT.coalesces();
    private long cacheBytes = Settings.DEFAULT.cacheBytes();
    private int largestShared = Settings.DEFAULT.largestShared();

    private Builder() {}

    /** The client that is wrapped: its connections, its redirects, its executor. */
    public Builder http(HttpClient client) {
      http = Objects.requireNonNull(client, "client");
      return this;
    }

    /** Whether requests are held back before they would be refused. They are. */
    public Builder paced(boolean isPaced) {
      paced = isPaced;
      return this;
    }

    /**
     * Which requests share limits: those with the same text. Nor does the cache give to one scope
     * what was answered to another. The origin and the credentials, unless set.
     */
    public Builder scope(Function<HttpRequest, String> name) {
      scope = Objects.requireNonNull(name, "name");
      return this;
    }

    /**
     * The most that a request waits in all, at the gate and between attempts. A server is believed
     * for so long that nothing is left. One minute, unless set.
     */
    public Builder longestWait(Duration most) {
      longestWait = Checks.positive("longestWait", most);
      return this;
    }

    /** In which a request is to be answered, with everything; none, unless set. */
    public Builder deadline(Duration most) {
      deadline = Checks.positive("deadline", most);
      return this;
    }

    /** How often a request is sent at most; 4, unless set. */
    public Builder attempts(int most) {
      attempts = (int) Checks.atLeast("attempts", 1, most);
      return this;
    }

    /**
     * The pause before the second attempt is at random below {@code first}, before each further one
     * below double that, and below {@code longest}. 100 ms and 10 s, unless set.
     */
    public Builder backoff(Duration first, Duration longest) {
      firstBackoff = Checks.positive("first", first);
      longestBackoff = Checks.positive("longest", longest);
      return this;
    }

    /**
     * How many requests may be retries: this part of all, and so many a second besides. A tenth and
     * 1, unless set.
     */
    public Builder retryBudget(double part, double aSecond) {
      retryPart = Checks.atLeast("part", 0, part);
      retriesASecond = Checks.atLeast("aSecond", 0, aSecond);
      return this;
    }

    /**
     * Whether requests of any method go again when they were refused with 429, since such were not
     * worked on; otherwise only those that may come twice. They do.
     */
    public Builder retryAnyRefused(boolean isSafe) {
      retriesAnyRefused = isSafe;
      return this;
    }

    /**
     * Which requests have a body that can be sent a second time: none or one of known length,
     * unless set.
     */
    public Builder repeatable(Predicate<HttpRequest> hasBodyAgain) {
      repeatable = Objects.requireNonNull(hasBodyAgain, "hasBodyAgain");
      return this;
    }

    /**
     * Whether those who GET the same at the same time, with the same headers, share one request.
     * They do not, unless set.
     */
    public Builder coalesce(boolean together) {
      coalesces = together;
      return this;
    }

    /**
     * Keeps answers to GET in memory, by the rules of RFC 9111 for a private cache, in so many
     * bytes at most. None, unless set.
     */
    public Builder cache(long mostBytes) {
      cacheBytes = (long) Checks.atLeast("mostBytes", 0, mostBytes);
      return this;
    }

    /**
     * The largest body that is shared or kept: larger ones go to the one who asked. A smaller one
     * is in memory before its handler sees it. 1 MiB, unless set.
     */
    public Builder largestShared(int bytes) {
      largestShared = (int) Checks.atLeast("bytes", 0, bytes);
      return this;
    }

    /** Time for tests. */
    Builder time(Clockwork clockwork) {
      time = clockwork;
      return this;
    }

    /** The client. */
    public WeirClient build() {
      HttpClient wrapped = http == null ? HttpClient.newHttpClient() : http;
      RandomGenerator random = () -> ThreadLocalRandom.current().nextLong();
      Clockwork clockwork = time == null ? Clockwork.system() : time;
      return new WeirClient(Engine.of(wrapped, settings(), clockwork, random));
    }

    private Settings settings() {
      return new Settings(
          paced,
          scope,
          longestWait,
          deadline,
          attempts,
          firstBackoff,
          longestBackoff,
          retryPart,
          retriesASecond,
          retriesAnyRefused,
          repeatable,
          coalesces,
          cacheBytes,
          largestShared);
    }
  }
}
