package io.weir.spring.web;

import io.weir.rules.AttributeSource;
import io.weir.rules.http.HttpFields;
import io.weir.rules.http.RequestTarget;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.springframework.http.HttpHeaders;
import org.springframework.http.server.reactive.ServerHttpRequest;

/**
 * The head of a WebFlux request as rules see it.
 *
 * @param target path and query, in the form that the gateway forwards
 * @param principal the name of the user; null if not logged in
 */
record WebFluxRequest(
    ServerHttpRequest request,
    String method,
    String target,
    @Nullable String host,
    @Nullable String ip,
    String principalAttribute,
    @Nullable String principal)
    implements HttpFields {
  @Override
  public @Nullable String attribute(String name) {
    if (name.equals(principalAttribute)) {
      return principal;
    }
    return name.equals("path") ? RequestTarget.path(target) : HttpFields.super.attribute(name);
  }

  @Override
  public @Nullable String attribute(String name, AttributeSource.Field field) {
    return name.equals(principalAttribute) ? principal : HttpFields.super.attribute(name, field);
  }

  @Override
  public List<String> values(String header) {
    return all(request, header);
  }

  @Override
  public Iterator<String> headerNames() {
    return request.getHeaders().headerSet().stream().map(Map.Entry::getKey).iterator();
  }

  /**
   * All values of a header, in order. Uses only methods that exist in all supported versions of
   * Spring.
   */
  static List<String> all(ServerHttpRequest request, String header) {
    HttpHeaders headers = request.getHeaders();
    if (headers.getFirst(header) == null) {
      return List.of();
    }
    List<String> all = new ArrayList<>(1);
    for (Map.Entry<String, List<String>> each : headers.headerSet()) {
      if (each.getKey().equalsIgnoreCase(header)) {
        all.addAll(each.getValue());
      }
    }
    return all;
  }
}
