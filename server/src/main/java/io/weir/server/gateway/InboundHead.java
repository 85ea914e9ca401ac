package io.weir.server.gateway;

import io.netty.util.AsciiString;
import io.vertx.core.MultiMap;
import io.weir.rules.http.HttpFields;
import io.weir.rules.http.RequestTarget;
import io.weir.rules.match.Address;
import io.weir.server.codec.HeaderIteration;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The head of an inbound request, as rules see it. Headers are not copied but looked up when a rule
 * needs them.
 *
 * @param target path and query, as forwarded; see {@link RequestTarget}
 * @param peer the address of the connection's peer; null if it has none
 * @param isFromProxy whether the peer is a trusted proxy
 * @param client the client's address, as reported by a trusted proxy; null if it has none
 */
record InboundHead(
    String method,
    MultiMap headers,
    String target,
    @Nullable String host,
    @Nullable Address peer,
    boolean isFromProxy,
    @Nullable Address client)
    implements HttpFields {
  @Override
  public @Nullable String ip() {
    return client == null ? null : client.toString();
  }

  @Override
  public @Nullable String attribute(String name) {
    return name.equals("path") ? RequestTarget.path(target) : HttpFields.super.attribute(name);
  }

  @Override
  public List<String> values(String header) {
    return headers.getAll(header);
  }

  @Override
  public Iterator<CharSequence> headerNames() {
    var all = HeaderIteration.of(headers);
    return new Iterator<>() {
      @Override
      public boolean hasNext() {
        return all.hasNext();
      }

      @Override
      public CharSequence next() {
        return all.next().getKey();
      }
    };
  }

  /** Finds a header without building a list, because nearly every header is sent once. */
  @Override
  public @Nullable String header(String name) {
    CharSequence found = null;
    for (var all = HeaderIteration.of(headers); all.hasNext(); ) {
      Map.Entry<? extends CharSequence, ? extends CharSequence> header = all.next();
      if (AsciiString.contentEqualsIgnoreCase(header.getKey(), name)) {
        if (found != null) {
          return HttpFields.super.header(name); // refuses repeated headers
        }
        found = header.getValue();
      }
    }
    return found == null ? null : HttpFields.withoutBlanks(found.toString());
  }
}
