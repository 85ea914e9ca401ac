package io.weir.client;

import java.io.IOException;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandler;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.LongAdder;

/** The JDK's client, which counts the responses of servers. */
final class CountingHttpClient extends DelegatingHttpClient {
  final LongAdder served = new LongAdder();
  final LongAdder refused = new LongAdder();
  final LongAdder others = new LongAdder();

  CountingHttpClient() {
    super(HttpClient.newBuilder().version(Version.HTTP_1_1).build());
  }

  private <T> BodyHandler<T> counted(BodyHandler<T> handler) {
    return head -> {
      int status = head.statusCode();
      (status == 200 ? served : status == 429 ? refused : others).increment();
      return handler.apply(head);
    };
  }

  @Override
  public <T> HttpResponse<T> send(HttpRequest request, BodyHandler<T> handler)
      throws IOException, InterruptedException {
    return super.send(request, counted(handler));
  }

  @Override
  public <T> CompletableFuture<HttpResponse<T>> sendAsync(
      HttpRequest request, BodyHandler<T> handler) {
    return super.sendAsync(request, counted(handler));
  }
}
