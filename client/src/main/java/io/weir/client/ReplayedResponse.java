package io.weir.client;

import io.weir.client.cache.BufferedResponse;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpHeaders;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandler;
import java.net.http.HttpResponse.BodySubscriber;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Flow;
import java.util.concurrent.atomic.AtomicBoolean;
import javax.net.ssl.SSLSession;
import org.jspecify.annotations.Nullable;

/** A response replayed from memory, with a body from the caller's own handler. */
record ReplayedResponse<T>(HttpRequest request, BufferedResponse bufferedResponse, T body)
    implements HttpResponse<T> {

  /** Feeds the body to a handler as if it came from a connection. */
  static <T> CompletionStage<HttpResponse<T>> of(
      HttpRequest request, BufferedResponse bufferedResponse, BodyHandler<T> handler) {
    BodySubscriber<T> subscriber = handler.apply(bufferedResponse);
    subscriber.onSubscribe(new WholeBodySubscription(subscriber, bufferedResponse.body()));
    return subscriber
        .getBody()
        .thenApply(body -> new ReplayedResponse<>(request, bufferedResponse, body));
  }

  /** Delivers the whole body at the first demand. */
  private static final class WholeBodySubscription implements Flow.Subscription {
    private final BodySubscriber<?> subscriber;
    private final byte[] body;
    private final AtomicBoolean begun = new AtomicBoolean();
    private volatile boolean isCancelled;

    WholeBodySubscription(BodySubscriber<?> subscriber, byte[] body) {
      this.subscriber = subscriber;
      this.body = body;
    }

    @Override
    public void request(long items) {
      if (isCancelled || !begun.compareAndSet(false, true)) {
        return;
      }
      if (items <= 0) {
        subscriber.onError(new IllegalArgumentException("requested " + items + " items"));
        return;
      }
      if (body.length > 0) {
        subscriber.onNext(List.of(ByteBuffer.wrap(body).asReadOnlyBuffer()));
      }
      if (!isCancelled) {
        subscriber.onComplete();
      }
    }

    @Override
    public void cancel() {
      isCancelled = true;
    }
  }

  @Override
  public int statusCode() {
    return bufferedResponse.statusCode();
  }

  @Override
  public Optional<HttpResponse<T>> previousResponse() {
    return Optional.empty();
  }

  @Override
  public HttpHeaders headers() {
    return bufferedResponse.headers();
  }

  @Override
  public Optional<SSLSession> sslSession() {
    return Optional.empty();
  }

  @Override
  public URI uri() {
    return bufferedResponse.uri();
  }

  @Override
  public HttpClient.Version version() {
    return bufferedResponse.version();
  }

  @Override
  public @Nullable String toString() {
    return "(" + request.method() + " " + request.uri() + ") " + statusCode();
  }
}
