package io.weir.client;

import io.weir.client.pace.DelayScheduler;
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
 * An {@link HttpClient} that stays within the rate limits of the servers it calls.
 *
 * <pre>{@code
 * WeirClient client = WeirClient.create();
 * HttpResponse<String> response = client.send(request, BodyHandlers.ofString());
 * }</pre>
 *
 * <p>It reads the rate limit headers of responses and delays requests that would be refused. A
 * request that is refused all the same is retried when the limit allows. The client gives up with a
 * {@link RateLimitedException}, at once if a refusal is foreseeable. Idempotent requests are also
 * retried after failures, with exponential backoff, jitter and a retry budget.
 *
 * <p>Thread-safe. Use one instance for the whole process, because each instance learns limits only
 * from its own responses. {@code send} blocks its caller; a waiting {@code sendAsync} holds no
 * thread. All instances share a few timer threads.
 */
public final class WeirClient {
  private final ClientContext clientContext;
  private final ResponseSharing responseSharing;

  private WeirClient(ClientContext clientContext) {
    this.clientContext = clientContext;
    responseSharing = new ResponseSharing(clientContext);
  }

  /** A client with the default settings. */
  public static WeirClient create() {
    return builder().build();
  }

  /** A builder for a client with other settings. */
  public static Builder builder() {
    return new Builder();
  }

  /**
   * Sends a request and blocks until the response arrives.
   *
   * @throws RateLimitedException if the server refuses it, or would, for longer than it may wait
   */
  public <T> HttpResponse<T> send(HttpRequest request, BodyHandler<T> handler)
      throws IOException, InterruptedException {
    return await(sendAsync(request, handler));
  }

  /**
   * Sends a request and blocks until the response arrives, at most {@code deadline}. The deadline
   * covers waiting, all attempts, and the body as far as the handler reads it.
   *
   * @throws RateLimitedException if the server refuses it, or would, for longer than it may wait
   * @throws java.net.http.HttpTimeoutException if there was no response by the deadline
   */
  public <T> HttpResponse<T> send(HttpRequest request, BodyHandler<T> handler, Duration deadline)
      throws IOException, InterruptedException {
    return await(sendAsync(request, handler, deadline));
  }

  /** Sends a request without blocking. Cancelling the future ends the request. */
  public <T> CompletableFuture<HttpResponse<T>> sendAsync(
      HttpRequest request, BodyHandler<T> handler) {
    return start(request, handler, clientContext.clientSettings().deadline());
  }

  /** Sends a request without blocking; it fails if there is no response within {@code deadline}. */
  public <T> CompletableFuture<HttpResponse<T>> sendAsync(
      HttpRequest request, BodyHandler<T> handler, Duration deadline) {
    return start(request, handler, SettingChecks.positive("deadline", deadline));
  }

  private <T> CompletableFuture<HttpResponse<T>> start(
      HttpRequest request, BodyHandler<T> handler, @Nullable Duration deadline) {
    Objects.requireNonNull(request, "request");
    Objects.requireNonNull(handler, "handler");
    ClientSettings clientSettings = clientContext.clientSettings();
    Deadline end = Deadline.after(deadline, clientContext.time());
    return clientSettings.coalesces() || clientSettings.cacheBytes() > 0
        ? responseSharing.send(request, handler, end)
        : ClientCall.start(clientContext, request, handler, end);
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

  /** Builds a client. Defaults are in {@code docs/reference/client.md}. Not thread-safe. */
  public static final class Builder {
    private @Nullable HttpClient http;
    private @Nullable DelayScheduler time;
    private boolean paced = ClientSettings.DEFAULT.paced();
    private Function<HttpRequest, String> scope = ClientSettings.DEFAULT.scope();
    private Duration longestWait = ClientSettings.DEFAULT.longestWait();
    private @Nullable Duration deadline;
    private int attempts = ClientSettings.DEFAULT.attempts();
    private Duration firstBackoff = ClientSettings.DEFAULT.firstBackoff();
    private Duration longestBackoff = ClientSettings.DEFAULT.longestBackoff();
    private double retryPart = ClientSettings.DEFAULT.retryPart();
    private double retriesASecond = ClientSettings.DEFAULT.retriesASecond();
    private boolean retriesAnyRefused = ClientSettings.DEFAULT.retriesAnyRefused();
    private Predicate<HttpRequest> repeatable = ClientSettings.DEFAULT.repeatable();

    private boolean coalesces = ClientSettings.DEFAULT.coalesces();
    private long cacheBytes = ClientSettings.DEFAULT.cacheBytes();
    private int largestShared = ClientSettings.DEFAULT.largestShared();

    private Builder() {}

    /** Sets the client to wrap, with its connections, redirects and executor. */
    public Builder http(HttpClient client) {
      http = Objects.requireNonNull(client, "client");
      return this;
    }

    /** Whether requests are delayed before they would be refused; true unless set. */
    public Builder paced(boolean isPaced) {
      paced = isPaced;
      return this;
    }

    /**
     * Sets how requests are grouped by shared limits: those with the same name share them. Cached
     * responses are not shared between groups. Unless set, the name is the origin and the
     * credentials.
     */
    public Builder scope(Function<HttpRequest, String> name) {
      scope = Objects.requireNonNull(name, "name");
      return this;
    }

    /**
     * Sets the longest total wait of a request, in the queue and between attempts. It also bounds
     * how long a server's statement that nothing is left is trusted. One minute unless set.
     */
    public Builder longestWait(Duration max) {
      longestWait = SettingChecks.positive("longestWait", max);
      return this;
    }

    /** Sets the time limit for a whole request; none unless set. */
    public Builder deadline(Duration max) {
      deadline = SettingChecks.positive("deadline", max);
      return this;
    }

    /** Sets the largest number of attempts; 4 unless set. */
    public Builder attempts(int max) {
      attempts = (int) SettingChecks.atLeast("attempts", 1, max);
      return this;
    }

    /**
     * Sets the pauses between attempts. The first is random below {@code first}; the bound doubles
     * with each attempt up to {@code longest}. 100 ms and 10 s unless set.
     */
    public Builder backoff(Duration first, Duration longest) {
      firstBackoff = SettingChecks.positive("first", first);
      longestBackoff = SettingChecks.positive("longest", longest);
      return this;
    }

    /**
     * Sets the retry budget: {@code part} of all requests, plus {@code aSecond} per second. A tenth
     * and 1 unless set.
     */
    public Builder retryBudget(double part, double aSecond) {
      retryPart = SettingChecks.atLeast("part", 0, part);
      retriesASecond = SettingChecks.atLeast("aSecond", 0, aSecond);
      return this;
    }

    /**
     * Whether requests of any method are retried after 429, since refused requests were not
     * processed. If false, only idempotent ones are. True unless set.
     */
    public Builder retryAnyRefused(boolean isSafe) {
      retriesAnyRefused = isSafe;
      return this;
    }

    /**
     * Sets which requests have a body that can be sent again: none or one of known length, unless
     * set.
     */
    public Builder repeatable(Predicate<HttpRequest> hasBodyAgain) {
      repeatable = Objects.requireNonNull(hasBodyAgain, "hasBodyAgain");
      return this;
    }

    /**
     * Whether concurrent GETs of the same address with the same headers share one request; false
     * unless set.
     */
    public Builder coalesce(boolean together) {
      coalesces = together;
      return this;
    }

    /**
     * Caches responses to GET in memory, by the rules of RFC 9111 for a private cache, in at most
     * this many bytes. No cache unless set.
     */
    public Builder cache(long mostBytes) {
      cacheBytes = (long) SettingChecks.atLeast("mostBytes", 0, mostBytes);
      return this;
    }

    /**
     * Sets the largest body that is shared or cached; a larger one goes only to the caller that
     * started the request. A smaller one is buffered in memory before its handler sees it. 1 MiB
     * unless set.
     */
    public Builder largestShared(int bytes) {
      largestShared = (int) SettingChecks.atLeast("bytes", 0, bytes);
      return this;
    }

    /** Replaces the clock and timers, for tests. */
    Builder time(DelayScheduler delayScheduler) {
      time = delayScheduler;
      return this;
    }

    /** Builds the client. */
    public WeirClient build() {
      HttpClient wrapped = http == null ? HttpClient.newHttpClient() : http;
      RandomGenerator random = () -> ThreadLocalRandom.current().nextLong();
      DelayScheduler delayScheduler = time == null ? DelayScheduler.system() : time;
      return new WeirClient(ClientContext.of(wrapped, clientSettings(), delayScheduler, random));
    }

    private ClientSettings clientSettings() {
      return new ClientSettings(
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
