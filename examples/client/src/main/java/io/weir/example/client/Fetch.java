package io.weir.example.client;

import io.weir.client.RateLimitedException;
import io.weir.client.WeirClient;
import java.io.PrintStream;
import java.net.URI;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;

/**
 * Fetches {@code BASE/0}, {@code BASE/1} and so on, all submitted at once: the client sends each
 * when the server's limit allows it.
 */
public final class Fetch {
  private Fetch() {}

  /** Takes a URL and a count: {@code http://127.0.0.1:8080/items 150}. */
  public static void main(String[] args) throws InterruptedException {
    if (args.length != 2) {
      System.err.println("usage: Fetch URL COUNT");
      System.exit(2);
    }
    fetch(URI.create(args[0]), Integer.parseInt(args[1]), System.out);
  }

  /** Returns how many were fetched. */
  static int fetch(URI base, int count, PrintStream out) throws InterruptedException {
    WeirClient client =
        WeirClient.builder().deadline(Duration.ofSeconds(60)).coalesce(true).build();
    long start = System.nanoTime();
    List<CompletableFuture<HttpResponse<String>>> all = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      HttpRequest request = HttpRequest.newBuilder(URI.create(base + "/" + i)).build();
      all.add(client.sendAsync(request, BodyHandlers.ofString()));
    }
    int fetched = 0;
    for (CompletableFuture<HttpResponse<String>> each : all) {
      fetched += came(each, out) ? 1 : 0;
    }
    double seconds = (System.nanoTime() - start) / 1e9;
    out.printf(Locale.ROOT, "%d of %d fetched in %.1f s%n", fetched, count, seconds);
    return fetched;
  }

  private static boolean came(CompletableFuture<HttpResponse<String>> each, PrintStream out)
      throws InterruptedException {
    try {
      return each.get().statusCode() == 200;
    } catch (ExecutionException e) {
      Throwable cause = e.getCause();
      out.println(cause instanceof RateLimitedException ? cause.getMessage() : "failed: " + cause);
      return false;
    }
  }
}
