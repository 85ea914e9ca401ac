package io.weir.client;

import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpHeaders;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.util.Optional;
import javax.net.ssl.SSLSession;
import org.jspecify.annotations.Nullable;

/** A response from a connection with its body replaced. */
record ResponseWithBody<T extends @Nullable Object>(HttpResponse<?> response, T body)
    implements HttpResponse<T> {
  @Override
  public int statusCode() {
    return response.statusCode();
  }

  @Override
  public HttpRequest request() {
    return response.request();
  }

  /** The redirects that led to this response have no bodies. */
  @Override
  @SuppressWarnings("NullAway")
  public Optional<HttpResponse<T>> previousResponse() {
    return response.previousResponse().map(before -> new ResponseWithBody<T>(before, null));
  }

  @Override
  public HttpHeaders headers() {
    return response.headers();
  }

  @Override
  public Optional<SSLSession> sslSession() {
    return response.sslSession();
  }

  @Override
  public URI uri() {
    return response.uri();
  }

  @Override
  public HttpClient.Version version() {
    return response.version();
  }

  @Override
  public @Nullable String toString() {
    return response.toString();
  }
}
